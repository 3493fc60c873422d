// SPDX-License-Identifier: Apache-2.0
// How a window moves over an array: shared by windowed reductions and convolutions.
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
  std::int64_t low = 0, high = 0;    // elements added before and after; negative numbers cut off
  std::int64_t base_dilation = 1;    // distance of neighbours of the array, holes between them
  std::int64_t window_dilation = 1;  // distance of neighbours in the window
  bool operator==(const WindowDim&) const = default;

  /// From the first to the last element of the window, holes included.
  std::int64_t extent() const { return size == 0 ? 0 : (size - 1) * window_dilation + 1; }
  /// The size of the array with holes and padding.
  std::int64_t padded(std::int64_t array) const;
  /// How many positions the window has on an array of this size.
  std::int64_t num_positions(std::int64_t array) const;
  /// The window for which a sum over the gradient of the positions gives that of the array: the
  /// roles of stride and base dilation change.
  WindowDim transposed(std::int64_t array) const;
};
using Window = std::vector<WindowDim>;

/// How much is added around the array.
enum class PaddingRule {
  valid,       // nothing: the window stays inside
  same,        // so much that a stride of 1 keeps the size; an odd rest goes behind
  same_lower,  // an odd rest goes in front
};
/// A rule, or numbers for each dimension (Padding::interior is not used).
using WindowPadding = std::variant<PaddingRule, Padding>;

/// Lists that are empty stand for 1 everywhere.
struct WindowOptions {
  Dims stride = {};
  WindowPadding padding = PaddingRule::valid;
  Dims base_dilation = {};
  Dims window_dilation = {};
};

/// The window of these sizes on arrays of sizes `dims`. Throws invalid_argument, naming `op`, if a
/// list has not one number per dimension.
Window make_window(const OpDef& op,
                   const Dims& sizes,
                   const Dims& dims,
                   const WindowOptions& options,
                   SourceLoc loc);

/// Rejects sizes, strides and dilations below 1, and padding that cuts off more than there is.
/// Returns the number of positions along each dimension.
Dims check_window(const Node& node, const Window& window, const Dims& dims);

/// One property of all dimensions: window_list(window, &WindowDim::stride).
Dims window_list(const Window& window, std::int64_t WindowDim::*property);
/// "dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>".
std::string padding_attribute(const Window& window);

}  // namespace meshwright::graph
