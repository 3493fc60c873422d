// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/contents/match.h"
#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/train/step/train_dtype.h"

namespace meshwright::train {

/// How to handle arrays that the run has and its checkpoint lacks.
enum class OnMissing { refuse, initialize };
inline config::Choices<OnMissing> config_choices(OnMissing) {
  return {{"refuse", OnMissing::refuse}, {"initialize", OnMissing::initialize}};
}

/// Selects the checkpoint that a run continues from, and how far it may differ from the run.
struct RestoreConfig {
  std::optional<std::int64_t> step;  // defaults to the newest
  checkpoint::Match match = checkpoint::Match::exact;
  OnMissing missing = OnMissing::refuse;
  /// The dtype in which parameters are saved, if not their own.
  std::optional<TrainDType> params_dtype = {};
  /// Host memory for reading, in addition to the state itself.
  std::int64_t max_bytes = std::int64_t{1} << 30;

  void fields(auto& f) {
    f.optional("restore_step", step, config::kNotNegative,
               "Continue from the checkpoint of exactly this step. `none`: from the newest.")
        .unit("steps");
    f.optional("restore_match", match,
               "How closely the checkpoint must match the state of the run: whether dtypes may "
               "differ, and whether it may hold more.");
    f.optional("restore_missing", missing,
               "Handling of arrays missing in the checkpoint: fail, or initialise them as in "
               "a new run with the checkpoint's parameters.");
    f.optional(
        "params_dtype", params_dtype,
        "Dtype of floating-point parameters in checkpoints. `none`: their own. A resumed run "
        "continues from the rounded ones.");
    f.optional("restore_bytes", max_bytes, config::kPositive,
               "Host memory for data being read, besides the state itself.")
        .unit("bytes");
  }
};

}  // namespace meshwright::train
