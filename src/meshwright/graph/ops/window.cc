// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/window.h"

#include <algorithm>
#include <limits>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/text/reductions.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_window(const Node& node) {
  const Type& in = node.in(0);
  if (in.dtype == DType::pred) reject(node, "expects numbers, got ", in);
  // stablehlo: reduce_window_c15
  return {Type(in.dtype, check_window(node, node.attr<Window>(), in.dims))};
}

std::vector<Type> infer_bits(const Node& node) {
  const Type& in = node.in(0);
  if (is_float(in.dtype)) reject(node, "expects booleans or integers, got ", in);
  return {Type(in.dtype, check_window(node, node.attr<Window>(), in.dims))};
}

std::string window_attributes(const Window& window) {
  auto list = [&](std::int64_t WindowDim::*property) {
    return mlir_array(window_list(window, property));
  };
  return str("window_dimensions = ", list(&WindowDim::size),
             ", window_strides = ", list(&WindowDim::stride),
             ", base_dilations = ", list(&WindowDim::base_dilation),
             ", window_dilations = ", list(&WindowDim::window_dilation),
             ", padding = ", padding_attribute(window));
}

template <const ReductionOp& reduction>
void write_window(Writer& writer, const Node& node) {
  write_reduction(writer, node, "stablehlo.reduce_window", window_attributes(node.attr<Window>()),
                  reduction);
}

// Removes padding and base dilation from the window and returns them.
Padding take_padding(Window& window) {
  Padding padding;
  for (WindowDim& dim : window) {
    padding.low.push_back(dim.low);
    padding.high.push_back(dim.high);
    padding.interior.push_back(dim.base_dilation - 1);
    dim.low = dim.high = 0;
    dim.base_dilation = 1;
  }
  return padding;
}

// The inverse of pad: removes the elements that it added, and adds zeros for those it removed.
Value without_padding(Value x, const Padding& padding) {
  Padding back = padding;
  Dims stride = padding.interior;
  for (std::size_t i = 0; i < stride.size(); ++i) {
    back.low[i] = -padding.low[i];
    back.high[i] = -padding.high[i];
    back.interior[i] = 0;
    ++stride[i];
  }
  x = pad(x, 0, back);
  return slice(x, Dims(stride.size(), 0), x.dims(), stride);
}

// Sums x over the window. Turns base dilation and negative padding into a separate pad op; plain
// padding stays in the window, where XLA recognizes cumulative sums.
Value sum_over(Value x, Window window) {
  bool plain = std::ranges::all_of(window, [](const WindowDim& dim) {
    return dim.base_dilation == 1 && dim.low >= 0 && dim.high >= 0;
  });
  if (!plain) {
    Padding padding = take_padding(window);
    x = pad(x, 0, std::move(padding));
  }
  return emit(kWindowSum, {x}, std::move(window), SourceLoc::current());
}

void window_sum_vjp(VjpContext& c) {
  c.add(0, [&] {
    Window window = c.attr<Window>();
    for (std::size_t i = 0; i < window.size(); ++i)
      window[i] = window[i].transposed(c.node().in(0).dims[i]);
    return sum_over(c.cotangent(), std::move(window));
  });
}

bool has_holes(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDim& dim) { return dim.window_dilation != 1; });
}

double worst(bool largest) {
  double infinity = std::numeric_limits<double>::infinity();
  return largest ? -infinity : infinity;
}

Value select_and_scatter(Value x, Value source, Window window, bool largest) {
  // XLA on CPUs and GPUs supports only windows without padding, and the op has no base dilation, so
  // both become a pad op.
  Padding padding = take_padding(window);
  Value wide = pad(x, worst(largest), padding);
  Value out = emit(kSelectAndScatter, {wide, source}, SelectAttrs{std::move(window), largest},
                   SourceLoc::current());
  return without_padding(out, padding);
}

Value select_and_gather(Value x, Value values, Window window, bool largest) {
  return emit_all(kSelectAndGather, {x, values}, SelectAttrs{std::move(window), largest}, {},
                  SourceLoc::current())[1];
}

void window_extremum_vjp(VjpContext& c, bool largest) {
  if (has_holes(c.attr<Window>())) {
    fail(ErrorCode::unimplemented, c.node().op->name,
         ": there is no gradient for a window with dilation on ", c.node().in(0),
         "\ntake the windows of strided slices instead");
  }
  c.add(0,
        [&] { return select_and_scatter(c.operand(0), c.cotangent(), c.attr<Window>(), largest); });
}
void window_max_vjp(VjpContext& c) {
  window_extremum_vjp(c, true);
}
void window_min_vjp(VjpContext& c) {
  window_extremum_vjp(c, false);
}

std::vector<Type> infer_scatter(const Node& node) {
  const Type& in = node.in(0);
  const Type& source = node.in(1);
  Dims positions = check_window(node, node.attr<SelectAttrs>().window, in.dims);
  // stablehlo: select_and_scatter_c1, c2
  if (source.dtype != in.dtype || source.dims != positions) {
    reject(node, "the source for ", in, " is ", source, ", not ", ArrayType{in.dtype, positions});
  }
  return {in};
}

std::vector<Type> infer_gather(const Node& node) {
  const Type& in = node.in(0);
  const Type& values = node.in(1);
  Dims positions = check_window(node, node.attr<SelectAttrs>().window, in.dims);
  // stablehlo: reduce_window_c2
  if (values.dims != in.dims) reject(node, "keys ", in, " and values ", values, " differ in shape");
  return {Type(in.dtype, positions), Type(values.dtype, positions)};
}

const char* direction(const Node& node) {
  return node.attr<SelectAttrs>().largest ? "GE" : "LE";
}

void write_scatter(Writer& writer, const Node& node) {
  DType dtype = node.in(0).dtype;
  const Window& window = node.attr<SelectAttrs>().window;
  TextScalar init = writer.constant(literal(0.0, dtype), dtype);
  ScalarBody select(writer, {dtype, dtype});
  std::array regions = {
      select.returning({select.compare(direction(node), select.arg(0), select.arg(1))}),
      reducer(writer, "stablehlo.add", dtype)};
  writer.op_with_regions(
      node, "stablehlo.select_and_scatter",
      str("window_dimensions = ", mlir_array(window_list(window, &WindowDim::size)),
          ", window_strides = ", mlir_array(window_list(window, &WindowDim::stride)),
          ", padding = ", padding_attribute(window)),
      regions, std::span(&init, 1));
}

void write_gather(Writer& writer, const Node& node) {
  DType key = node.in(0).dtype;
  DType value = node.in(1).dtype;
  const SelectAttrs& attrs = node.attr<SelectAttrs>();
  std::array init = {
      writer.constant(attrs.largest ? lowest_literal(key) : highest_literal(key), key),
      writer.constant(literal(0.0, value), value)};
  ScalarBody body(writer, {key, value, key, value});
  TextScalar first = body.compare(direction(node), body.arg(0), body.arg(2));
  std::string text =
      body.returning({body.op("stablehlo.select", {first, body.arg(0), body.arg(2)}, key),
                      body.op("stablehlo.select", {first, body.arg(1), body.arg(3)}, value)});
  writer.op_with_regions(node, "stablehlo.reduce_window", window_attributes(attrs.window),
                         std::span(&text, 1), init);
}

void scatter_vjp(VjpContext& c) {
  const SelectAttrs& attrs = c.attr<SelectAttrs>();
  c.add(1, [&] {
    return select_and_gather(c.operand(0), c.cotangent(), attrs.window, attrs.largest);
  });
}

void gather_vjp(VjpContext& c) {
  const SelectAttrs& attrs = c.attr<SelectAttrs>();
  c.add(1, [&] {
    return select_and_scatter(c.operand(0), c.cotangent(1), attrs.window, attrs.largest);
  });
}

constexpr OpDef op(std::string_view name, InferFn infer, WriteFn write, VjpFn vjp) {
  return {.name = name, .infer = infer, .write = write, .vjp = vjp};
}

Value windowed(
    const OpDef& op, Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return emit(op, {x}, make_window(op, sizes, x.dims(), options, loc), loc);
}

Value accumulated(
    const OpDef& op, Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  DType dtype = x.dtype();
  Value wide = cast(Operand(x, loc), dtype == f16 || dtype == bf16 ? f32 : dtype);
  return cast(Operand(windowed(op, wide, sizes, options, loc), loc), dtype);
}

}  // namespace

const OpDef kWindowSum =
    op("window_sum", infer_window, write_window<reductions::kSum>, window_sum_vjp);
const OpDef kWindowProd =
    op("window_prod", infer_window, write_window<reductions::kProduct>, kNoGradient);
const OpDef kWindowMax =
    op("window_max", infer_window, write_window<reductions::kMax>, window_max_vjp);
const OpDef kWindowMin =
    op("window_min", infer_window, write_window<reductions::kMin>, window_min_vjp);
const OpDef kWindowAnd =
    op("window_and", infer_bits, write_window<reductions::kAnd>, kZeroGradient);
const OpDef kWindowOr = op("window_or", infer_bits, write_window<reductions::kOr>, kZeroGradient);
const OpDef kSelectAndScatter = op("select_and_scatter", infer_scatter, write_scatter, scatter_vjp);
const OpDef kSelectAndGather = op("select_and_gather", infer_gather, write_gather, gather_vjp);

Value window_sum(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return accumulated(kWindowSum, x, sizes, options, loc);
}
Value window_prod(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return accumulated(kWindowProd, x, sizes, options, loc);
}
Value window_max(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return windowed(kWindowMax, x, sizes, options, loc);
}
Value window_min(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return windowed(kWindowMin, x, sizes, options, loc);
}
Value window_and(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return windowed(kWindowAnd, x, sizes, options, loc);
}
Value window_or(Value x, const Dims& sizes, const WindowOptions& options, SourceLoc loc) {
  return windowed(kWindowOr, x, sizes, options, loc);
}

Value window_mean(
    Value x, const Dims& sizes, const WindowOptions& options, bool count_padding, SourceLoc loc) {
  CallScope call(loc);
  MW_CHECK(is_float(x.dtype()), "window_mean: expects a float array, got ", x, origin(loc));
  DType dtype = x.dtype();
  Value exact = cast(x, dtype == f16 || dtype == bf16 ? f32 : dtype);
  Value sum = window_sum(exact, sizes, options);
  if (count_padding) {
    double count = 1;
    for (std::int64_t size : sizes)
      count *= static_cast<double>(size);
    return cast(sum / count, dtype);
  }
  Value ones = constant(1, exact.dtype(), x.dims());
  return cast(sum / window_sum(ones, sizes, options), dtype);
}

}  // namespace meshwright::graph
