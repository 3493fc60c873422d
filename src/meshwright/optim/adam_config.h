// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/optim/adam.h"
#include "meshwright/optim/rules_config.h"

namespace meshwright::optim {

struct AdamConfigFields {
  double b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0;
  bool nesterov = false;
  std::optional<SlotDType> mu_dtype, nu_dtype;

  void adam_fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "decay of the first moment");
    f.optional("b2", b2, config::kBelowOne, "decay of the second moment");
    f.optional("eps", eps, config::kNotNegative, "added to the root of the second moment");
    f.optional("eps_root", eps_root, config::kNotNegative, "added below the root");
    f.optional("nesterov", nesterov, "look one step ahead");
    f.optional("mu_dtype", mu_dtype, "of the stored first moment; none: f32");
    f.optional("nu_dtype", nu_dtype, "of the stored second moment; none: f32");
  }
  AdamOptions adam() const;
};

}  // namespace meshwright::optim
