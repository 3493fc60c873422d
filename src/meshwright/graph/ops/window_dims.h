// SPDX-License-Identifier: Apache-2.0
// How a window slides over an array; shared by windowed reductions and convolutions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::graph {

/// The window along one dimension.
struct WindowDim {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t low = 0, high = 0;    // padding before and after; negative numbers remove elements
  std::int64_t base_dilation = 1;    // spacing of the array's elements, with holes between them
  std::int64_t window_dilation = 1;  // spacing of the window's elements
  bool operator==(const WindowDim&) const = default;

  /// Returns the length from the first to the last element of the window, including holes.
  std::int64_t extent() const { return size == 0 ? 0 : (size - 1) * window_dilation + 1; }
  /// Returns the size of the array with holes and padding.
  std::int64_t padded(std::int64_t array) const;
  /// Returns the number of positions of the window on an array of this size.
  std::int64_t num_positions(std::int64_t array) const;
  /// Returns the window of the transposed sum: summing the cotangent of the result over this window
  /// gives the cotangent of an array of this size. Stride and base dilation swap roles.
  WindowDim transposed(std::int64_t array) const;
};
using Window = std::vector<WindowDim>;

/// How much padding to add around the array.
enum class PaddingRule {
  valid,       // none: the window stays inside
  same,        // enough for ceil(size / stride) positions; odd padding is larger at the end
  same_lower,  // like `same`, but odd padding is larger at the start
};
/// A rule, or explicit amounts per dimension (Padding::interior is not used).
using WindowPadding = std::variant<PaddingRule, Padding>;

/// An empty list means 1 everywhere.
struct WindowOptions {
  Dims stride = {};
  WindowPadding padding = PaddingRule::valid;
  Dims base_dilation = {};
  Dims window_dilation = {};
};

/// Returns the window of these sizes on arrays of shape `dims`. Throws invalid_argument, naming
/// `op`, if a list does not have one number per dimension.
Window make_window(const OpDef& op,
                   const Dims& sizes,
                   const Dims& dims,
                   const WindowOptions& options,
                   SourceLoc loc);

/// Returns the number of positions along each dimension. Rejects sizes, strides and dilations below
/// 1, and negative padding that removes more elements than there are.
Dims check_window(const Node& node, const Window& window, const Dims& dims);

/// Returns one property of all dimensions, as in window_list(window, &WindowDim::stride).
Dims window_list(const Window& window, std::int64_t WindowDim::*property);
/// Returns the padding as text such as "dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>".
std::string padding_attribute(const Window& window);

}  // namespace meshwright::graph
