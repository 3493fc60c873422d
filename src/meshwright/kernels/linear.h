// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/graph/op_def.h"
#include "meshwright/graph/value.h"

namespace meshwright::kernels {

/// The axes of a product, lists of names that have none in common: "batch len", "embed", "kv q
/// dim".
struct LinearAxes {
  std::string lead, in, out;
  /// The weight is out in, instead of in out.
  bool is_transposed = false;
};

struct LinearAttrs {
  LinearAxes axes;
  DType out = DType::f32;  // of the first result
  bool of_bias = false;    // kLinearGradient: whether there is a second result
};

/// x, lead in; a weight, in out; then perhaps a bias, out. f32 or bf16, each as it likes: what is
/// multiplied is bf16 if one of the two is. attrs: LinearAttrs. The result: lead out.
extern const graph::OpDef kLinear;
/// x, lead in; the gradient of a result, lead out. attrs: LinearAttrs. Results: the gradient of the
/// weight and, in f32, of the bias.
extern const graph::OpDef kLinearGradient;

struct LinearOptions {
  graph::Value bias = {};
  /// The dtype of the result; absent: that of x.
  std::optional<DType> out = {};
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
