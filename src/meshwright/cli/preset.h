// SPDX-License-Identifier: Apache-2.0
// Orders of work of the reference systems, by name; what a config says itself wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/config/check.h"

namespace meshwright::cli {

struct RunConfig;

struct PresetConfig {
  std::string name;
  std::int64_t log = 100;
  std::optional<std::int64_t> save = 1000;
  std::optional<std::int64_t> keep;
  std::optional<std::int64_t> eval = 1000;

  void fields(auto& f) {
    f.required("name", name, config::one_of({"axlearn", "t5x", "big_vision", "seqax"}),
               "whose order of work");
    f.optional("log", log, config::kPositive, "how often metrics are told").unit("steps");
    f.optional("save", save, config::kPositive, "how often it saves; none: never").unit("steps");
    f.optional("keep", keep, config::kPositive, "Big Vision's keep_ckpt_steps").unit("steps");
    f.optional("eval", eval, config::kPositive, "how often it judges; none: never").unit("steps");
  }
};

/// The config with everything that is "auto" about the order of work replaced: by the preset, or
/// without one by the trainer's own defaults.
RunConfig with_preset(RunConfig config);

}  // namespace meshwright::cli
