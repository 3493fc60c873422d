// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/match.h"
#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"

namespace meshwright::train {

/// What becomes of arrays that a run has and its checkpoint has not.
enum class OnMissing { refuse, initialize };
inline config::Choices<OnMissing> config_choices(OnMissing) {
  return {{"refuse", OnMissing::refuse}, {"initialize", OnMissing::initialize}};
}

/// Which of a run's checkpoints it goes on from, and how far that may differ from the run.
struct RestoreConfig {
  std::optional<std::int64_t> step;  // absent: the newest
  checkpoint::Match match = checkpoint::Match::exact;
  OnMissing missing = OnMissing::refuse;
  /// Host memory beside the state while it is read.
  std::int64_t max_bytes = std::int64_t{1} << 30;

  void fields(auto& f) {
    f.optional("restore_step", step, config::kNotNegative,
               "go on from this checkpoint and no other; none: from the newest")
        .unit("steps");
    f.optional("restore_match", match,
               "how far the checkpoint must be what the run keeps: in dtypes too, or not; and "
               "nothing else may be in it, or it may");
    f.optional("restore_missing", missing,
               "arrays that the checkpoint has not: an error, or they begin as in a new run with "
               "the parameters of the checkpoint");
    f.optional("restore_bytes", max_bytes, config::kPositive,
               "host memory for what is being read, beside the state itself")
        .unit("bytes");
  }
};

}  // namespace meshwright::train
