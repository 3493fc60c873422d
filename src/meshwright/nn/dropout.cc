// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/dropout.h"

#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::nn {

Dropout::Dropout(Module* parent, std::string name, double rate)
    : Module(parent, std::move(name)), rate_(rate) {
  MW_CHECK(rate >= 0 && rate < 1, "dropout '", path(), "': rate ", rate, " is not in [0, 1)");
}

Value Dropout::operator()(Ctx& p, Value x, const Dims& shared) const {
  if (!is_active(p)) return x;
  const kernels::Drawing drawing = this->drawing(p);
  Scope scope(*this);
  return kernels::dropout(x, drawing, shared);
}

kernels::Drawing Dropout::drawing(Ctx& p) const {
  Scope scope(*this);
  return {p.key(*this), 1 - rate_};
}

}  // namespace meshwright::nn
