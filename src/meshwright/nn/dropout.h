// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/dropout/dropout.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// In training, elements are 0 with probability `rate` and the others divided by 1 - rate.
class Dropout : public Module {
 public:
  /// Throws invalid_argument unless 0 <= rate < 1.
  Dropout(Module* parent, std::string name, double rate);

  /// `shared` are dimensions along which elements share their fate.
  Value operator()(Ctx& p, Value x, const Dims& shared = {}) const;
  /// How it draws, for kernels that drop elements themselves. Only where it is active.
  kernels::Drawing drawing(Ctx& p) const;
  /// Whether it changes anything here.
  bool is_active(const Ctx& p) const { return rate_ > 0 && p.is_training(); }

 private:
  double rate_;
};

}  // namespace meshwright::nn
