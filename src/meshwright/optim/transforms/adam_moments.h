// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/optim/transforms/slot_dtype.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Moment options shared by all Adam-based optimizers.
struct AdamMoments {
  double b1 = 0.9;
  double b2 = 0.999;
  double eps = 1e-8;
  double eps_root = 0;
  bool nesterov = false;
  /// Storage dtypes of mu and nu. Defaults to the dtype of the update.
  std::optional<SlotDType> mu_dtype = {}, nu_dtype = {};

  void fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the first moment.");
    f.optional("b2", b2, config::kBelowOne, "Decay rate of the second moment.");
    f.optional("eps", eps, config::kNotNegative, "Added to the square root of the second moment.");
    f.optional("eps_root", eps_root, config::kNotNegative,
               "Added to the second moment before the square root.");
    f.optional("nesterov", nesterov, "Use Nesterov momentum.");
    f.optional("mu_dtype", mu_dtype, "Storage dtype of the first moment. `none`: f32.");
    f.optional("nu_dtype", nu_dtype, "Storage dtype of the second moment. `none`: f32.");
  }
};
/// Divides the bias-corrected first moment by the square root of the bias-corrected second moment.
/// Computes in the dtype of the update, regardless of the dtypes of the slots. Slots: mu, nu.
Transform scale_by_adam(const AdamMoments& moments = {});

}  // namespace meshwright::optim
