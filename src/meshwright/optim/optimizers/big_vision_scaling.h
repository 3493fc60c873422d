// SPDX-License-Identifier: Apache-2.0
// Transforms that Big Vision's chain can use to scale gradients.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "meshwright/config/fields.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/momentum.h"
#include "meshwright/optim/transforms/slot_dtype.h"

namespace meshwright::optim {

struct BigVisionAdafactorOptions {
  static constexpr char kType[] = "adafactor";
  std::int64_t min_dim_size_to_factor = 32;
  double decay_rate = 0.8;
  double decay_offset = 0;
  double beta2_cap = 0.999;
  std::optional<double> clipping_threshold = {};
  std::optional<double> momentum = 0.9;
  std::optional<SlotDType> momentum_dtype = bf16;
  double eps = 1e-30;

  void fields(auto& f) {
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "Arrays with smaller dimensions are not factored.");
    f.optional("decay_rate", decay_rate, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_rate.");
    f.optional("decay_offset", decay_offset, "Subtracted from the step.").unit("steps");
    f.optional("beta2_cap", beta2_cap, config::kFraction, "Upper bound on the decay rate.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("momentum", momentum, config::kBelowOne,
               "Decay rate of the momentum. `none`: no momentum.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("eps", eps, config::kNotNegative, "Added to squared gradients.");
  }
  Transform make() const;
};
/// Big Vision's Adafactor without the learning rate and the weight decay. Equals optax's Adafactor
/// with an upper bound on the decay rate of the second moments.
Transform scale_by_big_vision_adafactor(const BigVisionAdafactorOptions& options = {});

struct BigVisionAdam {
  static constexpr char kType[] = "adam";
  AdamMoments moments = {};

  void fields(auto& f) { moments.fields(f); }
  Transform make() const;
};

struct BigVisionMomentum {
  static constexpr char kType[] = "momentum";
  MomentumOptions options = {.dtype = bf16};

  void fields(auto& f) {
    f.optional("momentum", options.decay, config::kBelowOne, "Decay rate of the momentum.");
    f.optional("nesterov", options.nesterov, "Use Nesterov momentum.");
    f.optional("dtype", options.dtype, "Storage dtype of the momentum. `none`: f32.");
  }
  Transform make() const;
};

struct BigVisionLion {
  static constexpr char kType[] = "lion";
  LionMoments moments = {};

  void fields(auto& f) { moments.fields(f); }
  Transform make() const;
};

struct BigVisionSgd {
  static constexpr char kType[] = "sgd";
  void fields(auto&) {}
  Transform make() const;
};

using BigVisionScalingChoice = std::variant<BigVisionAdam,
                                            BigVisionAdafactorOptions,
                                            BigVisionMomentum,
                                            BigVisionLion,
                                            BigVisionSgd>;
/// One of the scalings above or, in C++ only, any transform.
struct BigVisionScaling : BigVisionScalingChoice {
  using BigVisionScalingChoice::BigVisionScalingChoice;
  // NOLINTNEXTLINE(google-explicit-constructor): allows an option to be set to a transform
  BigVisionScaling(Transform transform) : custom(std::move(transform)) {}

  std::optional<Transform> custom = {};
};
Transform make_scaling(const BigVisionScaling& scaling);

}  // namespace meshwright::optim
