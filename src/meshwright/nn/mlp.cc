// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/mlp.h"

#include <span>
#include <utility>
#include <vector>

#include "meshwright/graph/module_output.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/nn/linear.h"

namespace meshwright::nn {

namespace {

Value formula(Activation kind, Value x) {
  switch (kind) {
    case Activation::relu:
      return relu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::gelu_tanh:
      return gelu_tanh(x);
    case Activation::silu:
      return silu(x);
  }
  return x;
}

}  // namespace

// XLA would keep each step of the formula for the gradient, half a dozen arrays of the widest kind,
// and round each to bf16. So it is computed in f32, and again in the backward pass.
Value activation(Activation kind, Value x, Value factor) {
  auto body = [&](std::span<const Value> in) {
    auto wide = [](Value value) {
      return byte_size(value.dtype()) < byte_size(f32) ? graph::cast(value, f32) : value;
    };
    Value out = formula(kind, wide(in[0]));
    if (in.size() > 1) out = out * wide(in[1]);
    return std::vector{graph::cast(out, x.dtype())};
  };
  std::vector<Value> args = {x};
  if (!factor.is_null()) args.push_back(factor);
  return graph::remat(args, body)[0];
}

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
  Value hidden = up(w_up_, b_up_);
  hidden = w_gate_.is_null() ? activation(activation_, hidden)
                             : activation(activation_, up(w_gate_, b_gate_), hidden);
  if (hidden.rank() == 3) hidden = graph::constrain(hidden, "batch len mlp");
  return graph::module_output(
      product("mlp", "embed", dropout_(p, hidden), p[w_down_], {.bias = bias(b_down_)}));
}

}  // namespace meshwright::nn
