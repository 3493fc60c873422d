// SPDX-License-Identifier: Apache-2.0
// Reductions over a sliding window, for pooling and cumulative sums.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/window_dims.h"

namespace meshwright::graph {

/// attrs: Window.
extern const OpDef kWindowSum, kWindowProd, kWindowMax, kWindowMin, kWindowAnd, kWindowOr;
/// Operands: the array, and one number per position of the window. Each number is added to the
/// result at the largest or smallest element of its window (the first of tied elements); the rest
/// of the result is 0. attrs: SelectAttrs.
extern const OpDef kSelectAndScatter;
/// Operands: the array, and values of the same shape. Results: for each position of the window, the
/// largest or smallest element, and the value at the position of that element. attrs: SelectAttrs.
extern const OpDef kSelectAndGather;
struct SelectAttrs {
  Window window;
  bool largest = true;
};

inline constexpr std::array kWindowOps = {&kWindowSum,        &kWindowProd,     &kWindowMax,
                                          &kWindowMin,        &kWindowAnd,      &kWindowOr,
                                          &kSelectAndScatter, &kSelectAndGather};

/// Returns the sum at each position of a window. `sizes` has one size per dimension of x. Padding
/// and holes count as 0. Sums f16 and bf16 in f32 and rounds once.
Value window_sum(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// Returns the product at each position of the window. Padding and holes count as 1. Has no
/// gradient.
Value window_prod(Value x,
                  const Dims& sizes,
                  const WindowOptions& options = {},
                  SourceLoc loc = SourceLoc::current());
/// Padding never wins. The gradient goes to the first of tied elements.
Value window_max(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value window_min(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// Logical for booleans, bitwise for integers. Padding and holes have no effect.
Value window_and(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value window_or(Value x,
                const Dims& sizes,
                const WindowOptions& options = {},
                SourceLoc loc = SourceLoc::current());
/// Returns the sum divided by the size of the window or, without count_padding, by the number of
/// elements of x in the window.
Value window_mean(Value x,
                  const Dims& sizes,
                  const WindowOptions& options = {},
                  bool count_padding = true,
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
