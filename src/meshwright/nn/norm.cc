// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/norm.h"

#include <utility>

#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/kernels/norm/norm.h"

namespace meshwright::nn {

Norm::Norm(Module* parent, std::string name, const std::string& axis, NormOptions options)
    : Module(parent, std::move(name)),
      options_(options),
      scale_(param("scale", AxisSpec::parse(axis), ones())) {
  if (options.bias) bias_ = param("bias", AxisSpec::parse(axis), zeros());
}

Value Norm::operator()(Ctx& p, Value x) const {
  Scope scope(*this);
  Value bias = bias_.is_null() ? Value() : p.wide(bias_);
  return graph::module_output(
      kernels::norm(x, p.wide(scale_), bias,
                    {.centered = options_.kind == NormKind::layer, .epsilon = options_.epsilon}));
}

}  // namespace meshwright::nn
