// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/window_dims.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::int64_t dilated(std::int64_t size, std::int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// Pads so that the window has ceil(size / stride) positions.
void pad_by_rule(WindowDim& dim, std::int64_t array, PaddingRule rule) {
  if (rule == PaddingRule::valid) return;
  std::int64_t size = dilated(array, dim.base_dilation);
  std::int64_t positions = (size + dim.stride - 1) / dim.stride;
  std::int64_t total =
      std::max<std::int64_t>(0, (positions - 1) * dim.stride + dim.extent() - size);
  dim.low = rule == PaddingRule::same ? total / 2 : total - total / 2;
  dim.high = total - dim.low;
}

}  // namespace

std::int64_t WindowDim::padded(std::int64_t array) const {
  return low + dilated(array, base_dilation) + high;
}

std::int64_t WindowDim::num_positions(std::int64_t array) const {
  std::int64_t whole = padded(array);
  return whole < extent() || whole == 0 ? 0 : (whole - extent()) / stride + 1;
}

WindowDim WindowDim::transposed(std::int64_t array) const {
  WindowDim out{.size = size,
                .stride = base_dilation,
                .low = extent() - low - 1,
                .base_dilation = stride,
                .window_dilation = window_dilation};
  out.high = dilated(array, base_dilation) + extent() - 1 - dilated(num_positions(array), stride) -
             out.low;
  return out;
}

Window make_window(const OpDef& op,
                   const Dims& sizes,
                   const Dims& dims,
                   const WindowOptions& options,
                   SourceLoc loc) {
  auto check = [&](const char* what, const Dims& list, bool may_be_empty) {
    bool fits = list.size() == dims.size() || (may_be_empty && list.empty());
    MW_CHECK(fits, op.name, ": ", what, " ", list, " given for ", dims.size(), " dimensions ", dims,
             origin(loc));
  };
  check("window", sizes, false);
  check("strides", options.stride, true);
  check("base dilations", options.base_dilation, true);
  check("window dilations", options.window_dilation, true);
  const Padding* padding = std::get_if<Padding>(&options.padding);
  if (padding != nullptr) {
    check("low padding", padding->low, false);
    check("high padding", padding->high, false);
  }
  auto at = [](const Dims& list, std::size_t i) { return list.empty() ? 1 : list[i]; };
  Window window;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    WindowDim dim{.size = sizes[i],
                  .stride = at(options.stride, i),
                  .base_dilation = at(options.base_dilation, i),
                  .window_dilation = at(options.window_dilation, i)};
    if (padding != nullptr) {
      dim.low = padding->low[i];
      dim.high = padding->high[i];
    } else if (dim.stride > 0) {
      pad_by_rule(dim, dims[i], std::get<PaddingRule>(options.padding));
    }
    window.push_back(dim);
  }
  return window;
}

Dims check_window(const Node& node, const Window& window, const Dims& dims) {
  // stablehlo: reduce_window_c4 to c12, select_and_scatter_c4 to c8, convolution_c2 to c8
  if (window.size() != dims.size()) {
    reject(node, "a window of ", window.size(), " dimensions for an array of ", dims.size());
  }
  Dims positions;
  for (std::size_t i = 0; i < window.size(); ++i) {
    const WindowDim& dim = window[i];
    auto check = [&](const char* what, std::int64_t number) {
      if (number < 1) reject(node, what, " of dimension ", i, " is ", number, ", less than 1");
    };
    check("the window size", dim.size);
    check("the stride", dim.stride);
    check("the base dilation", dim.base_dilation);
    check("the window dilation", dim.window_dilation);
    if (dim.padded(dims[i]) < 0) {
      reject(node, "padding ", dim.low, " and ", dim.high, " remove more than the ", dims[i],
             " elements of dimension ", i);
    }
    positions.push_back(dim.num_positions(dims[i]));
  }
  return positions;
}

Dims window_list(const Window& window, std::int64_t WindowDim::*property) {
  Dims out;
  for (const WindowDim& dim : window)
    out.push_back(dim.*property);
  return out;
}

std::string padding_attribute(const Window& window) {
  std::string rows;
  for (const WindowDim& dim : window)
    rows += str(rows.empty() ? "" : ", ", "[", dim.low, ", ", dim.high, "]");
  if (window.empty()) return "dense<> : tensor<0x2xi64>";
  return str("dense<[", rows, "]> : tensor<", window.size(), "x2xi64>");
}

}  // namespace meshwright::graph
