// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/mlp.h"

#include <utility>

#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/nn/linear.h"

namespace meshwright::nn {

Mlp::Mlp(Module* parent, std::string name, const MlpOptions& o)
    : Module(parent, std::move(name)),
      activation_(o.activation),
      dropout_(this, "dropout", o.dropout) {
  Init up = o.init_up ? o.init_up : fan_in(o.embed);
  std::string in = o.embed + " " + o.mlp;
  if (o.gated) w_gate_ = param("w_gate", AxisSpec::parse(in), up);
  w_up_ = param("w_up", AxisSpec::parse(in), up);
  w_down_ = param("w_down", AxisSpec::parse(o.mlp + " " + o.embed),
                  o.init_down ? o.init_down : fan_in(o.mlp));
  if (!o.bias) return;
  if (o.gated) b_gate_ = param("b_gate", AxisSpec::parse(o.mlp), zeros());
  b_up_ = param("b_up", AxisSpec::parse(o.mlp), zeros());
  b_down_ = param("b_down", AxisSpec::parse(o.embed), zeros());
}

Value Mlp::operator()(Ctx& p, Value x) const {
  Scope scope(*this);
  auto bias = [&](const Param& b) { return b.is_null() ? Value() : p[b]; };
  auto up = [&](const Param& w, const Param& b) {
    return product("embed", "mlp", x, p[w], {.bias = bias(b)});
  };
  auto laid_out = [](Value hidden) {
    return hidden.rank() == 3 ? graph::constrain(hidden, "batch len mlp") : hidden;
  };
  Value hidden = up(w_up_, b_up_), factor;
  if (!w_gate_.is_null()) factor = std::exchange(hidden, up(w_gate_, b_gate_));
  ProductOptions down{.bias = bias(b_down_)};
  if (dropout_.is_active(p)) {
    hidden = dropout_(p, laid_out(kernels::activation(activation_, hidden, factor)));
  } else {
    hidden = laid_out(hidden);
    down.activation = activation_;
    if (!factor.is_null()) down.factor = laid_out(factor);
  }
  return graph::module_output(product("mlp", "embed", hidden, p[w_down_], down));
}

}  // namespace meshwright::nn
