// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/common/activation.h"

namespace meshwright::kernels {

/// The axes of a product, disjoint lists of names: "batch len", "embed", "kv q dim".
struct LinearAxes {
  std::string lead, in, out;
  /// True: the weight is [out, in] instead of [in, out].
  bool is_transposed = false;
};

/// kLinear computes (activation(x) * factor) weight + bias + addend; all but x and weight are
/// optional.
struct LinearAttrs {
  LinearAxes axes;
  DType out = DType::f32;  // of the first result
  std::optional<Activation> activation = {};
  bool has_factor = false;  // multiplies the activation
  bool has_bias = false;    // kLinearGradient: whether there is a second result
  bool has_addend = false;  // set by place_kernels only
};

/// Operands: x [lead, in]; weight [in, out]; then, if present, bias [out], factor (like x) and
/// addend (like the result). Each is f32 or bf16; the product is taken in bf16 if x or weight is
/// bf16. attrs: LinearAttrs. Result: [lead, out].
extern const graph::OpDef kLinear;
/// Operands: the left factor of the product [lead, in]; the gradient of the result [lead, out].
/// attrs: LinearAttrs. Results: the gradients of the weight and, in f32, of the bias.
extern const graph::OpDef kLinearGradient;
/// Operands: the gradient of the result [lead, out]; the weight; x [lead, in]; optionally the
/// factor. attrs: LinearAttrs with an activation. Results: the recomputed left factor of the
/// product; the gradients of x and of the factor.
extern const graph::OpDef kActivatedGradient;

struct LinearOptions {
  graph::Value bias = {};
  /// The dtype of the result; absent: that of x.
  std::optional<DType> out = {};
  /// Multiply activation(x, factor) instead of x. `factor` is like x, or null.
  std::optional<Activation> activation = {};
  graph::Value factor = {};
};

/// Returns x weight + bias with sums in f32. Uses linear_call() where measurements favour it (more
/// than a few rows, and for f32 AVX-512, for bf16 AVX512_BF16 without AMX); otherwise the formula,
/// whose products XLA computes.
graph::Value linear(LinearAxes axes,
                    graph::Value x,
                    graph::Value weight,
                    const LinearOptions& options = {},
                    SourceLoc loc = SourceLoc::current());

/// Always emits the kernel, which reads its operands in place. f32 or bf16.
graph::Value linear_call(LinearAxes axes,
                         graph::Value x,
                         graph::Value weight,
                         const LinearOptions& options = {},
                         SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::kernels
