// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/dropout/dropout.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// In training, sets each element to 0 with probability `rate` and divides the others by 1 - rate.
class Dropout : public Module {
 public:
  /// Throws invalid_argument unless 0 <= rate < 1.
  Dropout(Module* parent, std::string name, double rate);

  /// Elements along the `shared` dimensions are kept or dropped together.
  Value operator()(Ctx& p, Value x, const Dims& shared = {}) const;
  /// Returns the key and the keep probability for kernels that apply dropout themselves. Requires
  /// is_active().
  kernels::Drawing drawing(Ctx& p) const;
  /// True if dropout has an effect in this context.
  bool is_active(const Ctx& p) const { return rate_ > 0 && p.is_training(); }

 private:
  double rate_;
};

}  // namespace meshwright::nn
