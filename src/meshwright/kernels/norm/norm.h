// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

struct NormOptions {
  /// Subtract the mean first: a layer norm, and not an RMS norm.
  bool centered = false;
  double epsilon = 1e-6;
};

/// Scales the last axis of x to mean square 1, times `scale`, plus `bias` unless that is empty;
/// both f32. Computed in f32 (f64 for f64) and rounded once; the result is as x. On CPUs one pass
/// forward and one backward.
graph::Value norm(graph::Value x,
                  graph::Value scale,
                  graph::Value bias,
                  const NormOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

struct NormAttrs {
  NormOptions options;
  bool has_bias;
};
/// attrs: NormAttrs. x (f32 or bf16), scale, then perhaps bias.
extern const graph::OpDef kNorm;
/// x, scale, the gradient of the result. Results: the gradients of x, of scale, and of bias if
/// there is one.
extern const graph::OpDef kNormGradient;

}  // namespace meshwright::kernels
