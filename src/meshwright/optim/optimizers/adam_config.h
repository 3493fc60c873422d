// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/rules_config.h"

namespace meshwright::optim {

struct AdamConfigFields {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0;
  bool nesterov = false;
  std::optional<SlotDType> mu_dtype, nu_dtype;

  void adam_fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the first moment.");
    f.optional("b2", b2, config::kBelowOne, "Decay rate of the second moment.");
    f.optional("eps", eps, config::kNotNegative, "Added to the square root of the second moment.");
    f.optional("eps_root", eps_root, config::kNotNegative,
               "Added to the second moment before the square root.");
    f.optional("nesterov", nesterov, "Use Nesterov momentum.");
    f.optional("mu_dtype", mu_dtype, "Storage dtype of the first moment. `none`: f32.");
    f.optional("nu_dtype", nu_dtype, "Storage dtype of the second moment. `none`: f32.");
  }
  AdamOptions adam() const;
};

}  // namespace meshwright::optim
