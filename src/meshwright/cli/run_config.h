// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/config/config.h"

namespace meshwright::cli {

/// What a config of a run says.
struct RunConfig {
  std::string dir = "runs/default";
  std::int64_t seed = 0;
  config::OrAuto<std::int64_t> max_step;

  void fields(auto& f) {
    f.optional("dir", dir, config::kNonEmpty, "the run's folder");
    f.optional("seed", seed, config::kNotNegative, "of everything random");
    f.optional("max_step", max_step, config::kPositive, "where training ends; auto: with the data")
        .unit("steps");
  }
};

}  // namespace meshwright::cli
