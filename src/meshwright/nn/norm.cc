// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/norm.h"

#include <utility>

#include "meshwright/graph/module_output.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"

namespace meshwright::nn {

Norm::Norm(Module* parent, std::string name, const std::string& axis, NormOptions options)
    : Module(parent, std::move(name)),
      options_(options),
      scale_(param("scale", AxisSpec::parse(axis), ones())) {
  if (options.bias) bias_ = param("bias", AxisSpec::parse(axis), zeros());
}

Value Norm::operator()(Ctx& p, Value x) const {
  Scope scope(*this);
  Value wide = x.dtype() == f64 ? x : cast(x, f32);
  if (options_.kind == NormKind::layer) wide = wide - mean(wide, {-1}, {.keep_dims = true});
  Value power = mean(square(wide), {-1}, {.keep_dims = true});
  Value out = wide * (rsqrt(power + options_.epsilon) * cast(p.wide(scale_), wide.dtype()));
  if (!bias_.is_null()) out = out + cast(p.wide(bias_), wide.dtype());
  return graph::module_output(cast(out, x.dtype()));
}

}  // namespace meshwright::nn
