// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/common/activation.h"

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/remat.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

Value wide(Value x) {
  return byte_size(x.dtype()) < byte_size(f32) ? graph::cast(x, f32) : x;
}

Value formula(Activation kind, Value x) {
  switch (kind) {
    case Activation::relu:
      return graph::relu(x);
    case Activation::gelu:
      return graph::gelu(x);
    case Activation::gelu_tanh:
      return graph::gelu_tanh(x);
    case Activation::silu:
      return graph::silu(x);
  }
  return x;
}

// The derivative of x logistic(gate_input).
Value slope_of_gated(Value x, Value gate_input, graph::Operand gate_slope) {
  Value gate = graph::logistic(gate_input);
  return gate + x * gate * (1 - gate) * gate_slope;
}

Value slope(Activation kind, Value x) {
  switch (kind) {
    case Activation::relu:
      return graph::cast(graph::logical_not(x <= 0), x.dtype());
    case Activation::gelu: {
      Value density = graph::exp(graph::square(x) * -0.5) * std::sqrt(0.5 * std::numbers::inv_pi);
      return graph::erfc(x * -std::numbers::sqrt2 * 0.5) * 0.5 + x * density;
    }
    case Activation::gelu_tanh: {
      // 1 + tanh(y) is 2 logistic(2 y).
      const double scale = 2 * std::sqrt(2 * std::numbers::inv_pi), cubic = 0.044715;
      Value squared = graph::square(x);
      return slope_of_gated(x, x * (squared * cubic + 1) * scale,
                            (squared * (3 * cubic) + 1) * scale);
    }
    case Activation::silu:
      return slope_of_gated(x, x, 1);
  }
  return x;
}

}  // namespace

// Without remat, XLA would keep half a dozen intermediate arrays of the MLP's width for the
// gradient and round each to bf16. Instead the backward pass recomputes them in f32.
Value activation(Activation kind, Value x, Value factor) {
  auto body = [&](std::span<const Value> in) {
    return std::vector{activation_formula(kind, in[0], in.size() > 1 ? in[1] : Value())};
  };
  std::vector<Value> args = {x};
  if (!factor.is_null()) args.push_back(factor);
  return graph::remat(args, body)[0];
}

Value activation_formula(Activation kind, Value x, Value factor) {
  Value out = formula(kind, wide(x));
  if (!factor.is_null()) out = out * wide(factor);
  return graph::cast(out, x.dtype());
}

ActivationGradients activation_gradient_formula(Activation kind,
                                                Value x,
                                                Value factor,
                                                Value given) {
  Value d_x = wide(given) * slope(kind, wide(x));
  if (factor.is_null()) return {graph::cast(d_x, x.dtype()), {}};
  return {graph::cast(d_x * wide(factor), x.dtype()),
          graph::cast(wide(given) * formula(kind, wide(x)), factor.dtype())};
}

}  // namespace meshwright::kernels
