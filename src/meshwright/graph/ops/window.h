// SPDX-License-Identifier: Apache-2.0
// Reductions over a window that moves over the array: pooling, running sums.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/window_dims.h"

namespace meshwright::graph {

/// attrs: Window.
extern const OpDef kWindowSum, kWindowProd, kWindowMax, kWindowMin, kWindowAnd, kWindowOr;
/// Operands: the array, and for each position of the window a number that is added to the largest
/// or smallest element under it, the first of several. attrs: SelectAttrs.
extern const OpDef kSelectAndScatter;
/// Operands: the array, and values of its shape. For each position of the window the value that
/// stands where the largest or smallest element is. attrs: SelectAttrs.
extern const OpDef kSelectAndGather;
struct SelectAttrs {
  Window window;
  bool largest = true;
};

inline constexpr std::array kWindowOps = {&kWindowSum,        &kWindowProd,     &kWindowMax,
                                          &kWindowMin,        &kWindowAnd,      &kWindowOr,
                                          &kSelectAndScatter, &kSelectAndGather};

/// Returns the sum at each position of a window with one size per dimension of x. Padding and holes
/// count as 0. Sums f16 and bf16 in f32 and rounds once.
Value window_sum(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// The product, likewise; padding and holes count as 1. It has no gradient.
Value window_prod(Value x,
                  const Dims& sizes,
                  const WindowOptions& options = {},
                  SourceLoc loc = SourceLoc::current());
/// Padding never wins. The gradient goes to the first of several largest elements.
Value window_max(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value window_min(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// Reduce booleans, or integers bit by bit. Padding and holes have no effect.
Value window_and(Value x,
                 const Dims& sizes,
                 const WindowOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value window_or(Value x,
                const Dims& sizes,
                const WindowOptions& options = {},
                SourceLoc loc = SourceLoc::current());
/// The sum over the size of the window; without count_padding over the number of elements under it
/// that are not padding.
Value window_mean(Value x,
                  const Dims& sizes,
                  const WindowOptions& options = {},
                  bool count_padding = true,
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
