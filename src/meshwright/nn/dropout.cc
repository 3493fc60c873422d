// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/dropout.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::nn {

Dropout::Dropout(Module* parent, std::string name, double rate)
    : Module(parent, std::move(name)), rate_(rate) {
  MW_CHECK(rate >= 0 && rate < 1, "dropout '", path(), "': a rate of ", rate,
           " is not at least 0 and less than 1");
}

Value Dropout::operator()(Ctx& p, Value x, const Dims& shared) const {
  if (!is_active(p)) return x;
  Scope scope(*this);
  Dims drawn = x.dims();
  for (std::int64_t dim : shared)
    drawn.at(static_cast<std::size_t>(dim < 0 ? dim + x.rank() : dim)) = 1;
  Value keep = graph::random::bernoulli(p.key(*this), 1 - rate_, drawn);
  return where(graph::broadcast_to(keep, x.dims()), x / (1 - rate_), 0);
}

}  // namespace meshwright::nn
