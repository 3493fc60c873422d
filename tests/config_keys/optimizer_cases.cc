// SPDX-License-Identifier: Apache-2.0
// Optimizers without a file of their own here.
#include "meshwright/base/str.h"
#include "optimizers.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

using Keys = std::vector<KeyCase>;

const Keys kAdam = {{"b1", "0.5"},        {"b2", "0.5"},        {"eps", "1e-3"},
                    {"eps_root", "1e-3"}, {"nesterov", "true"}, {"mu_dtype", "bf16"},
                    {"nu_dtype", "bf16"}};

}  // namespace

SectionCases optimizer(const std::string& type, const std::vector<Keys>& keys) {
  SectionCases out{str("optimizer[", type, "]"),
                   kLm,
                   {str("optimizer={ type = \"", type, "\", learning_rate = 0.125 }")},
                   step_program};
  for (const Keys& some : keys)
    out.keys.insert(out.keys.end(), some.begin(), some.end());
  return out;
}

Keys common_keys() {
  return {{"learning_rate", "0.25"},
          // A schedule shows which step it receives.
          {"first_step",
           "0",
           {"optimizer.first_step=1",
            "optimizer.learning_rate={ type = \"warmup_linear\", peak = 1.0, warmup = 5 }"}},
          {"clip_norm", "1.0"},
          {"drop_norm", "10.0"},
          {"clip_eps", "0.5", {"optimizer.clip_norm=1.0"}},
          {"skip", "{}"},
          {"learning_rate_rules", "[{ params = '.*', scale = 0.5 }]"}};
}

Keys decay_keys() {
  const std::string decay = "optimizer.weight_decay=0.125";
  return {{"weight_decay", "0.125"},
          {"weight_decay_rules", "[{ params = '.*', scale = 0.5 }]", {decay}},
          {"weight_decay_otherwise", "0.5", {decay}},
          {"weight_decay_declared", "false", {decay}, declaring_step_program}};
}

Cases optimizer_cases() {
  const std::string rules = "optimizer.learning_rate_rules=[{ params = '.*', scale = 0.5 }]";
  const std::string adaptive = "optimizer.skip={ adaptive = {} }";
  return {
      optimizer("adamw", {common_keys(), kAdam, decay_keys()}),
      optimizer("adam", {common_keys(), kAdam, decay_keys()}),
      optimizer("decoupled_adamw",
                {common_keys(), kAdam, decay_keys(), {{"update_schedule", "0.5"}}}),
      optimizer("sgd", {common_keys(),
                        decay_keys(),
                        {{"momentum", "0.5"},
                         {"nesterov", "true", {"optimizer.momentum=0.5"}},
                         {"momentum_dtype", "bf16", {"optimizer.momentum=0.5"}},
                         {"decouple_weight_decay",
                          "false",
                          {"optimizer.momentum=0.5", "optimizer.weight_decay=0.125"}}}}),
      optimizer("lion", {common_keys(),
                         decay_keys(),
                         {{"b1", "0.5"},
                          {"b2", "0.5"},
                          {"mu_dtype", "bf16"},
                          {"multiply_by_parameter_scale", "true"}}}),
      optimizer("lamb", {common_keys(), kAdam, decay_keys()}),
      optimizer("muon", {common_keys(),
                         kAdam,
                         decay_keys(),
                         {{"beta", "0.5"},
                          {"iterations", "3"},
                          {"muon_nesterov", "false"},
                          {"consistent_rms", "0.5"},
                          {"adamw_params", "['.*']"},
                          {"adamw_learning_rate", "0.5"}}}),
      {"optimizer[adamw].learning_rate_rules.0",
       kLm,
       {rules},
       step_program,
       {{"params", ".*embed.*"}, {"scale", "0.25"}}},
      {"optimizer[adamw].skip", kLm, {"optimizer.skip={}"}, step_program, {{"adaptive", "{}"}}},
      {"optimizer[adamw].skip.adaptive",
       kLm,
       {adaptive},
       step_program,
       {{"decay", "0.5"}, {"multipliers", "[3.0]"}, {"stddev_after", "7"}}},
  };
}

}  // namespace meshwright::config_keys
