// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

struct NormOptions {
  /// True: layer norm, which subtracts the mean first. False: RMS norm.
  bool centered = false;
  double epsilon = 1e-6;
};

/// Scales the last axis of x to mean square 1, multiplies by `scale` and adds `bias`, which may be
/// null; both are f32. Computes in f32 (f64 for f64) and rounds once; the result has the shape and
/// dtype of x. The CPU kernel makes one pass over memory for the result and one for the gradients.
graph::Value norm(graph::Value x,
                  graph::Value scale,
                  graph::Value bias,
                  const NormOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

struct NormAttrs {
  NormOptions options;
  bool has_bias;
};
/// Operands: x (f32 or bf16), scale, optionally bias. attrs: NormAttrs.
extern const graph::OpDef kNorm;
/// Operands: x, scale, the gradient of the result. Results: the gradients of x, scale and, if
/// present, bias.
extern const graph::OpDef kNormGradient;

}  // namespace meshwright::kernels
