// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/common/activation.h"

namespace meshwright::kernels {

/// The axes of a product, lists of names that have none in common: "batch len", "embed", "kv q
/// dim".
struct LinearAxes {
  std::string lead, in, out;
  /// The weight is out in, instead of in out.
  bool is_transposed = false;
};

/// What kLinear computes: activation(x) factor weight + bias + addend, without what is not there.
struct LinearAttrs {
  LinearAxes axes;
  DType out = DType::f32;  // of the first result
  std::optional<Activation> activation = {};
  bool has_factor = false;  // a second factor beside the activation
  bool has_bias = false;    // of kLinearGradient: whether there is a second result
  bool has_addend = false;  // where kernels are placed
};

/// x, lead in; a weight, in out; then what there is of a bias, out, a factor, as x, and an addend,
/// as the result. f32 or bf16, each as it likes: what is multiplied is bf16 if one of x and weight
/// is. attrs: LinearAttrs. The result: lead out.
extern const graph::OpDef kLinear;
/// What was multiplied, lead in; the gradient of a result, lead out. attrs: LinearAttrs. Results:
/// the gradient of the weight and, in f32, of the bias.
extern const graph::OpDef kLinearGradient;
/// The gradient of a result, lead out; the weight; x, lead in, and perhaps a factor. attrs:
/// LinearAttrs with an activation. Results: what was multiplied, as it is not kept; the gradients
/// of x and of the factor.
extern const graph::OpDef kActivatedGradient;

struct LinearOptions {
  graph::Value bias = {};
  /// The dtype of the result; absent: that of x.
  std::optional<DType> out = {};
  /// Multiplied is activation(x, factor) instead of x. `factor` is as x, or null.
  std::optional<Activation> activation = {};
  graph::Value factor = {};
};

/// x weight + bias, with sums in f32: linear_call() where that was measured to pay, which is for
/// more rows than a few on processors with AVX-512, and in bf16 on those that multiply pairs of it
/// but have no tiles (AMX); else the formula, whose products are XLA's.
graph::Value linear(LinearAxes axes,
                    graph::Value x,
                    graph::Value weight,
                    const LinearOptions& options = {},
                    SourceLoc loc = SourceLoc::current());

/// On CPUs one call, which reads its operands as they lie; elsewhere the formula. f32 or bf16.
graph::Value linear_call(LinearAxes axes,
                         graph::Value x,
                         graph::Value weight,
                         const LinearOptions& options = {},
                         SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::kernels
