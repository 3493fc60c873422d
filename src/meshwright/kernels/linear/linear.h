// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/common/activation.h"

namespace meshwright::kernels {

/// Axes of a product: disjoint lists of names, such as "batch len", "embed" and "kv q dim".
struct LinearAxes {
  std::string lead, in, out;
  /// True: the weight is [out, in] instead of [in, out].
  bool is_transposed = false;
};

/// kLinear computes (activation(x) * factor) weight + bias + addend; all but x and weight are
/// optional.
struct LinearAttrs {
  LinearAxes axes;
  DType out = DType::f32;  // dtype of the first result
  std::optional<Activation> activation = {};
  bool has_factor = false;  // multiplies the activation
  bool has_bias = false;    // kLinearGradient: true if there is a second result
  bool has_addend = false;  // set by place_kernels only
};

/// Operands: x [lead, in]; weight [in, out]; then, if present, bias [out], factor (like x) and
/// addend (like the result). All are f32 or bf16; x and weight are multiplied in bf16 if either of
/// them is bf16. attrs: LinearAttrs. Result: [lead, out].
extern const graph::OpDef kLinear;
/// Operands: the left operand of the product [lead, in]; the gradient of the result [lead, out].
/// attrs: LinearAttrs. Results: the gradient of the weight and, if there is a bias, its gradient in
/// f32.
extern const graph::OpDef kLinearGradient;
/// Operands: the gradient of the result [lead, out]; the weight; x [lead, in]; optionally the
/// factor. attrs: LinearAttrs with an activation. Results: the recomputed left operand of the
/// product; the gradients of x and of the factor.
extern const graph::OpDef kActivatedGradient;

struct LinearOptions {
  graph::Value bias = {};
  /// Dtype of the result; defaults to that of x.
  std::optional<DType> out = {};
  /// If set, activation(x) * factor replaces x. `factor` is null or has the type of x.
  std::optional<Activation> activation = {};
  graph::Value factor = {};
};

/// Returns x weight + bias, accumulated in f32. Uses linear_call() where measurements favour it: on
/// CPUs, for more than a few rows, in f32 with AVX-512, or in bf16 with AVX512_BF16 but no AMX.
/// Otherwise emits the formula, which XLA compiles.
graph::Value linear(LinearAxes axes,
                    graph::Value x,
                    graph::Value weight,
                    const LinearOptions& options = {},
                    SourceLoc loc = SourceLoc::current());

/// Like linear(), but always emits the kernel. Operands must be f32 or bf16.
graph::Value linear_call(LinearAxes axes,
                         graph::Value x,
                         graph::Value weight,
                         const LinearOptions& options = {},
                         SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::kernels
