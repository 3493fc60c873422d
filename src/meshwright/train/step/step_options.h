// SPDX-License-Identifier: Apache-2.0
// The settings of a run that its compiled step depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/pattern.h"
#include "meshwright/config/type_of.h"
#include "meshwright/nn/param_noise.h"
#include "meshwright/train/step/train_dtype.h"

namespace meshwright::train {

enum class OnNonFinite {
  stop,    // end the run with exit code 5
  skip,    // continue with the next batch
  rewind,  // restore the last checkpoint and skip the batches since
};
inline config::Choices<OnNonFinite> config_choices(OnNonFinite) {
  using enum OnNonFinite;
  return {{"stop", stop}, {"skip", skip}, {"rewind", rewind}};
}

/// How to handle an update whose loss or gradients are not finite. Such an update is never applied:
/// the devices decide this from values that all of them hold. Unless the action is `skip`, they
/// also apply no later updates until the host reacts.
struct NonFiniteConfig {
  OnNonFinite action = OnNonFinite::stop;
  /// Maximum number of consecutive skips, or of rewinds, before the run stops.
  std::int64_t max_times = 10;
  bool explain = true;

  void fields(auto& f) {
    f.optional("action", action, "Action when the loss or a gradient is not finite.");
    f.optional("max_times", max_times, config::kPositive,
               "Maximum number of consecutive skips, or of rewinds.");
    f.optional("explain", explain,
               "Recompute the step and report which arrays and layers are not finite. Has no "
               "effect if batches are skipped.");
  }
};

/// The dtype in which to train the parameters that match. Defaults to the dtype they are stored
/// in.
struct DTypeRule {
  std::string pattern;
  std::optional<TrainDType> dtype = {};

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("dtype", dtype, "Dtype for training. `none`: the dtype they are stored in.");
  }
};

/// In each list of rules, the first match wins.
struct StepOptions {
  /// Number of microbatches into which each batch is split. They are computed one after the other,
  /// and their gradients are averaged.
  std::int64_t num_microbatches = 1;
  /// Clips the gradient of each microbatch to this global norm before averaging. With one example
  /// per microbatch, this clips per-example gradients.
  std::optional<double> microbatch_clip_norm = {};
  /// Dtype of parameters and float inputs in the loss. Defaults to the dtype of the parameters.
  std::optional<TrainDType> train_dtype = {};
  std::vector<DTypeRule> train_dtype_rules = {};
  /// Noise added to parameters when computing the loss, with a fresh draw for each step and
  /// microbatch.
  std::vector<nn::NoiseRule> param_noise = {};
  NonFiniteConfig non_finite = {};

  void fields(auto& f) {
    f.optional(
        "num_microbatches", num_microbatches, config::kPositive,
        "Number of microbatches a batch is split into, which are computed one after the other.");
    f.optional("microbatch_clip_norm", microbatch_clip_norm, config::kPositive,
               "Upper bound on the global gradient norm of each microbatch. With as many "
               "microbatches as examples, this clips the gradient of each example.");
    f.optional("train_dtype", train_dtype,
               "Dtype of parameters, inputs and computation in the loss. `none`: do not cast.");
    f.optional("train_dtype_rules", train_dtype_rules,
               "Exceptions to train_dtype by parameter path. The first match counts.");
    f.optional("param_noise", param_noise,
               "Noise added to parameters while the loss is computed. The first match counts.");
    f.optional("non_finite", non_finite, "Handling of losses and gradients that are not finite.");
  }
};

}  // namespace meshwright::train
