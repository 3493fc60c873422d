// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/convolution.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/contraction.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::int64_t at(const Dims& dims, std::int64_t position) {
  return dims[static_cast<std::size_t>(position)];
}

Dims taken(const Dims& dims, const Dims& positions) {
  Dims out;
  for (std::int64_t position : positions)
    out.push_back(at(dims, position));
  return out;
}

void check_side(const Node& node, const char* what, const ConvDims& dims, int rank) {
  // stablehlo: convolution_c12, c13, c17 to c20
  Dims all = {dims.outer, dims.inner};
  all.insert(all.end(), dims.spatial.begin(), dims.spatial.end());
  if (std::ssize(all) != rank || !in_range(all, rank) || !is_unique(all)) {
    reject(node, "the layout of ", what, " ", all, " does not name each of ", rank,
           " dimensions once");
  }
}

void check_groups(const Node& node) {
  const ConvAttrs& attrs = node.attr<ConvAttrs>();
  const ConvLayout& layout = attrs.layout;
  std::int64_t features = attrs.feature_groups;
  std::int64_t batches = attrs.batch_groups;
  // stablehlo: convolution_c21 to c23
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    reject(node, features, " feature groups and ", batches,
           " batch groups: one of them must be 1, the other at least 1");
  }
  auto divides = [&](std::int64_t groups, const char* side, int operand, std::int64_t dim) {
    std::int64_t size = at(node.in(operand).dims, dim);
    if (size % groups != 0) {
      reject(node, "dimension ", dim, " of ", side, " ", node.in(operand), " is ", size,
             ", which is not divisible into ", groups, " groups");
    }
  };
  divides(batches, "lhs", 0, layout.lhs.outer);   // stablehlo: convolution_c10
  divides(features, "lhs", 0, layout.lhs.inner);  // stablehlo: convolution_c11
  divides(batches, "rhs", 1, layout.rhs.outer);   // stablehlo: convolution_c15
  divides(features, "rhs", 1, layout.rhs.outer);  // stablehlo: convolution_c16
  // stablehlo: convolution_c14
  std::int64_t wanted = at(node.in(0).dims, layout.lhs.inner) / features;
  if (at(node.in(1).dims, layout.rhs.inner) != wanted) {
    reject(node, "input features: the kernel ", node.in(1), " has ",
           at(node.in(1).dims, layout.rhs.inner), " but lhs ", node.in(0), " in ", features,
           " groups has ", wanted);
  }
}

std::vector<Type> infer_convolution(const Node& node) {
  const ConvAttrs& attrs = node.attr<ConvAttrs>();
  const Type& lhs = node.in(0);
  const Type& rhs = node.in(1);
  // stablehlo: convolution_c1
  if (lhs.rank() != rhs.rank() || lhs.rank() < 2) {
    reject(node, "ranks of lhs ", lhs, " and kernel ", rhs, " differ or are less than 2");
  }
  check_product_dtypes(node, attrs.out);  // stablehlo: convolution_c27
  check_side(node, "lhs", attrs.layout.lhs, lhs.rank());
  check_side(node, "the kernel", attrs.layout.rhs, lhs.rank());
  check_side(node, "the result", attrs.layout.out, lhs.rank());
  check_groups(node);
  Dims positions = check_window(node, attrs.window, taken(lhs.dims, attrs.layout.lhs.spatial));
  Dims dims(lhs.dims.size());  // stablehlo: convolution_c25
  auto set = [&](std::int64_t position, std::int64_t size) {
    dims[static_cast<std::size_t>(position)] = size;
  };
  set(attrs.layout.out.outer, at(lhs.dims, attrs.layout.lhs.outer) / attrs.batch_groups);
  set(attrs.layout.out.inner, at(rhs.dims, attrs.layout.rhs.outer));
  for (std::size_t i = 0; i < positions.size(); ++i)
    set(attrs.layout.out.spatial[i], positions[i]);
  return {Type(attrs.out, std::move(dims))};
}

// "[b, 0, 1, f]"
std::string layout_text(const ConvDims& dims, const char* outer, const char* inner) {
  std::vector<std::string> names(dims.spatial.size() + 2);
  names[static_cast<std::size_t>(dims.outer)] = outer;
  names[static_cast<std::size_t>(dims.inner)] = inner;
  for (std::size_t i = 0; i < dims.spatial.size(); ++i)
    names[static_cast<std::size_t>(dims.spatial[i])] = str(i);
  return str("[", join(names, ", "), "]");
}

void write_convolution(Writer& writer, const Node& node) {
  const ConvAttrs& attrs = node.attr<ConvAttrs>();
  auto list = [&](std::int64_t WindowDim::*property) {
    return mlir_array(window_list(attrs.window, property));
  };
  writer.op(
      node, "stablehlo.convolution",
      str("window_strides = ", list(&WindowDim::stride), ", padding = ",
          padding_attribute(attrs.window), ", lhs_dilation = ", list(&WindowDim::base_dilation),
          ", rhs_dilation = ", list(&WindowDim::window_dilation),
          ", dimension_numbers = #stablehlo.conv<", layout_text(attrs.layout.lhs, "b", "f"), "x",
          layout_text(attrs.layout.rhs, "o", "i"), "->", layout_text(attrs.layout.out, "b", "f"),
          ">, feature_group_count = ", attrs.feature_groups, " : i64, batch_group_count = ",
          attrs.batch_groups, " : i64, precision_config = ", precision_config(attrs.precision)));
}

ConvDims swapped(const ConvDims& dims) {
  return {.outer = dims.inner, .inner = dims.outer, .spatial = dims.spatial};
}

// Splits a leading factor `groups` off dimension `from` and merges it into dimension `to`, again as
// the leading factor.
Value move_groups(Value x, std::int64_t from, std::int64_t to, std::int64_t groups) {
  Dims split = x.dims();
  split[static_cast<std::size_t>(from)] /= groups;
  Dims merged = split;
  merged[static_cast<std::size_t>(to)] *= groups;
  split.insert(split.begin() + from, groups);
  Dims order = counting_without(static_cast<int>(split.size()), std::span(&from, 1));
  order.insert(order.begin() + to, from);
  return reshape(transpose(reshape(x, split), order), merged);
}

// Convolves the cotangent, dilated by the stride and padded, with the reversed kernel, whose input
// and output features swap roles.
Value lhs_gradient(const ConvAttrs& attrs, const Type& lhs, Value rhs, Value g) {
  const ConvLayout& layout = attrs.layout;
  ConvAttrs back = attrs;
  back.layout = {layout.out, swapped(layout.rhs), layout.lhs};
  back.out = g.dtype();
  back.feature_groups = std::max(attrs.feature_groups, attrs.batch_groups);
  back.batch_groups = 1;
  for (std::size_t i = 0; i < back.window.size(); ++i)
    back.window[i] = back.window[i].transposed(at(lhs.dims, layout.lhs.spatial[i]));
  if (back.feature_groups > 1) {
    rhs = move_groups(rhs, layout.rhs.outer, layout.rhs.inner, back.feature_groups);
  }
  rhs = reverse(rhs, layout.rhs.spatial);
  Value out = emit(kConvolution, {g, rhs}, back, SourceLoc::current());
  if (attrs.batch_groups == 1) return out;
  return move_groups(out, layout.lhs.inner, layout.lhs.outer, attrs.batch_groups);
}

// Convolves lhs with the cotangent as the kernel. Stride and dilation of the window swap roles.
Value rhs_gradient(const ConvAttrs& attrs, const Type& rhs, Value lhs, Value g) {
  const ConvLayout& layout = attrs.layout;
  ConvAttrs back = attrs;
  back.layout = {swapped(layout.lhs), swapped(layout.out), swapped(layout.rhs)};
  back.out = g.dtype();
  back.feature_groups = attrs.batch_groups;
  back.batch_groups = attrs.feature_groups;
  for (std::size_t i = 0; i < back.window.size(); ++i) {
    WindowDim& dim = back.window[i];
    std::int64_t extent = dim.extent();
    std::int64_t padded = dim.padded(at(lhs.dims(), layout.lhs.spatial[i])) - dim.high;
    dim.size = at(g.dims(), layout.out.spatial[i]);
    std::swap(dim.stride, dim.window_dilation);
    // Gives the window as many positions as the kernel has elements.
    dim.high = dim.extent() + extent - 1 - padded;
  }
  Value out = emit(kConvolution, {lhs, g}, back, SourceLoc::current());
  MW_CHECK(out.dims() == rhs.dims, "convolution: the gradient of kernel ", rhs, " is ", out);
  return out;
}

void convolution_vjp(VjpContext& c) {
  const ConvAttrs& attrs = c.attr<ConvAttrs>();
  if (num_elements(c.node().out().dims) == 0) return;  // an empty cotangent cannot be a kernel
  DType dtype = c.node().in(0).dtype;
  Value g = c.cotangent();
  DType wide = bit_width(g.dtype()) > bit_width(dtype) ? g.dtype() : dtype;
  g = cast(g, wide);
  c.add(0, [&] {
    return cast(lhs_gradient(attrs, c.node().in(0), cast(c.operand(1), wide), g), dtype);
  });
  c.add(1, [&] {
    return cast(rhs_gradient(attrs, c.node().in(1), cast(c.operand(0), wide), g), dtype);
  });
}

ConvDims parse_side(std::string_view text, char outer, char inner, std::string_view spatial) {
  auto find = [&](char letter) {
    std::size_t found = text.find(letter);
    MW_CHECK(found != text.npos && text.find(letter, found + 1) == text.npos, "conv_layout: '",
             text, "' must contain exactly one '", letter, "'");
    return static_cast<std::int64_t>(found);
  };
  ConvDims out{.outer = find(outer), .inner = find(inner)};
  for (char letter : spatial)
    out.spatial.push_back(find(letter));
  MW_CHECK(text.size() == spatial.size() + 2, "conv_layout: '", text, "' has letters other than ",
           outer, ", ", inner, " and the kernel's '", spatial, "'");
  return out;
}

}  // namespace

const OpDef kConvolution{.name = "convolution",
                         .infer = infer_convolution,
                         .write = write_convolution,
                         .vjp = convolution_vjp,
                         .product = [](const Node&) { return Product::convolution; }};

ConvLayout conv_layout(std::string_view lhs, std::string_view rhs, std::string_view out) {
  std::string spatial;
  std::ranges::copy_if(rhs, std::back_inserter(spatial),
                       [](char letter) { return letter != 'O' && letter != 'I'; });
  return {parse_side(lhs, 'N', 'C', spatial), parse_side(rhs, 'O', 'I', spatial),
          parse_side(out, 'N', 'C', spatial)};
}

ConvLayout channels_last(int rank) {
  Dims behind_batch(static_cast<std::size_t>(std::max(rank - 2, 0)));
  std::iota(behind_batch.begin(), behind_batch.end(), 1);
  ConvDims data{.outer = 0, .inner = rank - 1, .spatial = behind_batch};
  ConvDims kernel{.outer = rank - 1, .inner = rank - 2, .spatial = counting(std::max(rank - 2, 0))};
  return {data, kernel, data};
}

Value convolution(Value lhs, Value rhs, const ConvOptions& options, SourceLoc loc) {
  MW_CHECK(lhs.rank() == rhs.rank() && lhs.rank() >= 2, "convolution: ranks of lhs ", lhs,
           " and kernel ", rhs, " differ or are less than 2", origin(loc));
  ConvAttrs attrs{.layout = options.layout ? *options.layout : channels_last(lhs.rank()),
                  .feature_groups = options.feature_groups,
                  .batch_groups = options.batch_groups,
                  .out = options.out.value_or(lhs.dtype()),
                  .precision = options.precision};
  const Dims& places = attrs.layout.lhs.spatial;
  MW_CHECK(in_range(places, lhs.rank()) && in_range(attrs.layout.rhs.spatial, lhs.rank()),
           "convolution: the layout names dimensions that ", lhs, " does not have", origin(loc));
  attrs.window = make_window(
      kConvolution, taken(rhs.dims(), attrs.layout.rhs.spatial), taken(lhs.dims(), places),
      {options.stride, options.padding, options.lhs_dilation, options.rhs_dilation}, loc);
  return emit(kConvolution, {lhs, rhs}, std::move(attrs), loc);
}

}  // namespace meshwright::graph
