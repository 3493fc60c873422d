// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "meshwright/base/str.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

std::string big_vision(const std::string& scaling) {
  return str("optimizer={ type = \"big_vision\", lr = 0.125, scaling = { type = \"", scaling,
             "\" }, schedules = [{ params = \".*\", schedule = 1.0 }] }");
}

SectionCases scaling(const std::string& type, std::vector<KeyCase> keys) {
  return {str("optimizer[big_vision].scaling[", type, "]"),
          kVit,
          {big_vision(type)},
          step_program,
          std::move(keys)};
}

}  // namespace

Cases big_vision_cases() {
  return {
      {"optimizer[big_vision]",
       kVit,
       {big_vision("adam")},
       step_program,
       {{"lr", "0.25"},
        {"grad_clip_norm", "1.0"},
        {"lr_mults", "[{ params = '.*', scale = 0.5 }]"},
        {"wd", "0.125", {"optimizer.wd_mults=[{ params = '.*weight', scale = 1.0 }]"}},
        {"wd_mults",
         "[{ params = '.*', scale = 0.5 }]",
         {"optimizer.wd_mults=[{ params = '.*weight', scale = 1.0 }]", "optimizer.wd=0.125"}},
        {"schedules", "[{ params = '.*', schedule = 0.5 }]"}}},
      {"optimizer[big_vision].schedules.0",
       kVit,
       {big_vision("adam"),
        "optimizer.schedules=[{ params = '.*weight', schedule = 0.5 }, "
        "{ params = '.*', schedule = 1.0 }]"},
       step_program,
       {{"params", ".*bias"}, {"schedule", "0.25"}, {"schedule", "none"}}},
      scaling("adam", {{"b1", "0.5"},
                       {"b2", "0.5"},
                       {"eps", "1e-3"},
                       {"eps_root", "1e-3"},
                       {"nesterov", "true"},
                       {"mu_dtype", "bf16"},
                       {"nu_dtype", "bf16"}}),
      scaling("adafactor", {{"min_dim_size_to_factor", "8"},
                            {"decay_rate", "0.5"},
                            {"decay_offset", "3"},
                            {"beta2_cap", "0.5"},
                            {"clipping_threshold", "0.5"},
                            {"momentum", "0.5"},
                            {"momentum_dtype", "f32"},
                            {"eps", "1e-3"}}),
      scaling("momentum", {{"momentum", "0.5"}, {"nesterov", "true"}, {"dtype", "f32"}}),
      scaling("lion", {{"b1", "0.5"}, {"b2", "0.5"}, {"mu_dtype", "bf16"}}),
  };
}

}  // namespace meshwright::config_keys
