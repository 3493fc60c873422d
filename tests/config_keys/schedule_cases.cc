// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "meshwright/base/str.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

// Returns the section of a schedule, whose constants are in the program of the step.
SectionCases schedule(const std::string& type,
                      const std::string& settings,
                      std::vector<KeyCase> keys) {
  return {str("optimizer[adamw].learning_rate[", type, "]"),
          kLm,
          {str("optimizer={ type = \"adamw\", learning_rate = { type = \"", type, "\"", settings,
               " } }")},
          step_program,
          std::move(keys)};
}

SectionCases t5x() {
  const auto factor = [](const char* factors) {
    return std::vector<std::string>{
        str("optimizer.learning_rate.factors='constant * ", factors, "'")};
  };
  return schedule("t5x", "",
                  {{"factors", "'constant * linear_decay'"},
                   {"base_learning_rate", "0.25"},
                   {"warmup_steps", "7.0"},
                   {"decay_factor", "0.25", factor("decay_every")},
                   {"steps_per_decay", "7.0", factor("decay_every")},
                   {"steps_per_cycle", "7.0", factor("cosine_decay")},
                   {"step_offset", "3.0"},
                   {"min_learning_rate", "1e-3"}});
}

SectionCases big_vision() {
  const auto decay = [](const char* type) {
    return std::vector<std::string>{str("optimizer.learning_rate.decay_type=", type)};
  };
  const std::vector<std::string> stair = {"optimizer.learning_rate.decay_type=stair",
                                          "optimizer.learning_rate.steps=[5]",
                                          "optimizer.learning_rate.mults=[0.5]"};
  return schedule("big_vision", ", decay_type = \"cosine\"",
                  {{"decay_type", "rsqrt"},
                   {"base", "0.5"},
                   {"warmup", "3"},
                   {"cooldown", "3"},
                   {"scale_with_batchsize", "true"},
                   {"linear_end", "0.25", decay("linear")},
                   {"power", "2.0", decay("polynomial")},
                   {"timescale", "7", decay("rsqrt")},
                   {"shift", "3", decay("rsqrt")},
                   {"steps", "[6]", stair},
                   {"mults", "[0.25]", stair}});
}

}  // namespace

Cases schedule_cases() {
  return {
      schedule("polynomial", ", begin_value = 1.0, end_value = 0.5",
               {{"begin_value", "2.0"},
                {"end_value", "0.25"},
                {"begin", "3"},
                {"end", "20"},
                {"power", "2.0"}}),
      schedule("exponential", ", begin_value = 1.0, end_value = 0.5",
               {{"begin_value", "2.0"}, {"end_value", "0.25"}, {"begin", "3"}, {"end", "20"}}),
      schedule("warmup_cosine", ", peak = 1.0, warmup = 5",
               {{"peak", "2.0"},
                {"warmup", "4"},
                {"begin_value", "0.25"},
                {"end", "20"},
                {"alpha", "0.125"},
                {"decay_begin", "10"}}),
      schedule("warmup_constant", ", peak = 1.0, warmup = 5",
               {{"peak", "2.0"}, {"warmup", "4"}, {"begin_value", "0.25"}}),
      schedule("warmup_linear", ", peak = 1.0, warmup = 5",
               {{"peak", "2.0"},
                {"warmup", "4"},
                {"begin_value", "0.25"},
                {"end", "20"},
                {"end_value", "0.125"}}),
      schedule("warmup_stable_decay", ", peak = 1.0, warmup = 5, decay_begin = 10",
               {{"peak", "2.0"},
                {"warmup", "4"},
                {"begin_value", "0.25"},
                {"end", "20"},
                {"decay_begin", "12"},
                {"alpha", "0.125"}}),
      schedule("seqax", ", peak = 1.0, warmup = 5",
               {{"peak", "2.0"}, {"warmup", "4"}, {"end", "20"}, {"final_fraction", "0.25"}}),
      schedule("inverse_sqrt", "", {{"scale", "0.5"}, {"warmup", "4"}}),
      schedule("adafactor", "",
               {{"scale", "0.5"}, {"warmup", "4"}, {"decay_power", "-0.25"}, {"step_offset", "3"}}),
      t5x(),
      big_vision(),
      schedule("stepwise", ", schedules = [1.0, 0.5], starts = [5]",
               {{"schedules", "[1.0, 0.25]"}, {"starts", "[6]"}}),
  };
}

}  // namespace meshwright::config_keys
