// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/scatter.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_scatter(const Node& node) {
  const auto& attrs = node.attr<ScatterAttrs>();
  const Type& x = node.in(0);
  const Type& indices = node.in(1);
  const Type& updates = node.in(2);
  // stablehlo: scatter_c6
  if (x.dtype != updates.dtype) reject(node, "dtypes differ: ", x, " and updates ", updates);
  bool arithmetic = node.op != &kScatter;
  if (arithmetic && x.dtype == DType::pred) reject(node, "expects numbers, got ", x);
  check_index_dims(node, x, indices, attrs.dims, updates.rank());
  Dims window = window_sizes(x, attrs.dims, updates.dims);
  check_window(node, x, attrs.dims, window);
  // stablehlo: scatter_c4
  Dims expected = gathered_dims(indices, attrs.dims, window);
  if (updates.dims != expected) {
    reject(node, "updates ", updates, " for indices ", indices, " into ", x, " should be ",
           ArrayType{x.dtype, expected});
  }
  return {x};
}

// Returns a body that combines the current element with the update, or replaces it if `combine` is
// empty.
std::string combine_body(Writer& writer, DType dtype, std::string_view combine) {
  ScalarBody body(writer, {dtype, dtype});
  if (combine.empty()) return body.returning({body.arg(1)});
  return body.returning({body.op(combine, {body.arg(0), body.arg(1)}, dtype)});
}

void write_scatter(Writer& writer, const Node& node, std::string_view combine) {
  const auto& attrs = node.attr<ScatterAttrs>();
  const IndexDims& dims = attrs.dims;
  auto list = [](const Dims& values) { return str("[", join(values, ", "), "]"); };
  std::string body = combine_body(writer, node.in(0).dtype, combine);
  writer.op_with_regions(
      node, "stablehlo.scatter",
      str("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ",
          list(dims.offset_dims), ", inserted_window_dims = ", list(dims.collapsed_slice_dims),
          ", input_batching_dims = ", list(dims.operand_batching_dims),
          ", scatter_indices_batching_dims = ", list(dims.start_indices_batching_dims),
          ", scatter_dims_to_operand_dims = ", list(dims.start_index_map), ", index_vector_dim = ",
          dims.index_vector_dim, ">, indices_are_sorted = ", attrs.indices_are_sorted,
          ", unique_indices = ", attrs.unique_indices),
      std::span(&body, 1));
}

void write_set(Writer& writer, const Node& node) {
  write_scatter(writer, node, "");
}
void write_add(Writer& writer, const Node& node) {
  write_scatter(writer, node, "stablehlo.add");
}
void write_mul(Writer& writer, const Node& node) {
  write_scatter(writer, node, "stablehlo.multiply");
}
void write_min(Writer& writer, const Node& node) {
  write_scatter(writer, node, "stablehlo.minimum");
}
void write_max(Writer& writer, const Node& node) {
  write_scatter(writer, node, "stablehlo.maximum");
}

ScatterOptions options_of(const VjpContext& c) {
  const auto& attrs = c.attr<ScatterAttrs>();
  return {attrs.mode, attrs.indices_are_sorted, attrs.unique_indices};
}

// Gathers from x, which has the operand's shape, at the positions of the updates; zeros for dropped
// updates.
Value read_back(const VjpContext& c, Value x) {
  const auto& attrs = c.attr<ScatterAttrs>();
  return gather(x, c.operand(1), attrs.dims,
                window_sizes(x.type(), attrs.dims, c.node().in(2).dims),
                {.mode = attrs.mode,
                 .fill_value = 0,
                 .indices_are_sorted = attrs.indices_are_sorted,
                 .unique_indices = attrs.unique_indices});
}

void add_vjp(VjpContext& c) {
  c.add(0, [&] { return c.cotangent(); });
  c.add(2, [&] { return read_back(c, c.cotangent()); });
}

void mul_vjp(VjpContext& c) {
  const auto& attrs = c.attr<ScatterAttrs>();
  c.add(0, [&] {
    return scatter_mul(c.cotangent(), c.operand(1), c.operand(2), attrs.dims, options_of(c));
  });
  c.add(2, [&] {
    if (!attrs.unique_indices) {
      fail(ErrorCode::unimplemented, "scatter_mul: there is no gradient for updates ",
           c.node().in(2), " that may overlap\nset unique_indices = true if they do not");
    }
    return read_back(c, c.cotangent() * c.operand(0));
  });
}

// Tied candidates for an extremum share its gradient equally.
void extremum_vjp(VjpContext& c) {
  if (!c.needs(0) && !c.needs(2)) return;
  const auto& attrs = c.attr<ScatterAttrs>();
  Value out = c.result();
  DType dtype = out.dtype();
  Value kept = equal(c.operand(0), out);
  Value chosen = equal(c.operand(2), read_back(c, out));
  Value winners =
      scatter_add(cast(kept, dtype), c.operand(1), cast(chosen, dtype), attrs.dims, options_of(c));
  Value share = c.cotangent() / winners;
  c.add(0, [&] { return where(kept, share, 0); });
  c.add(2, [&] { return where(chosen, read_back(c, share), 0); });
}

// Returns booleans of the shape of the updates, true where the update determined its element.
// Windows may overlap, so this scatters their numbers in place of the updates and reads them back.
Value winning_updates(const VjpContext& c) {
  const auto& attrs = c.attr<ScatterAttrs>();
  Dims updates = c.node().in(2).dims;
  Dims windows = updates;
  for (std::int64_t d : attrs.dims.offset_dims)
    windows[static_cast<std::size_t>(d)] = 1;
  Value numbers = iota(s32, {num_elements(windows)}) + 1;
  numbers = broadcast_to(reshape(numbers, windows), updates);
  Value none = constant(0, s32, c.node().in(0).dims);
  Value winners = scatter(none, c.operand(1), numbers, attrs.dims, options_of(c));
  return equal(read_back(c, winners), numbers);
}

void set_vjp(VjpContext& c) {
  const auto& attrs = c.attr<ScatterAttrs>();
  c.add(0, [&] {
    return scatter(c.cotangent(), c.operand(1), zeros(c.node().in(2)), attrs.dims, options_of(c));
  });
  c.add(2, [&] {
    Value gradient = read_back(c, c.cotangent());
    return attrs.unique_indices ? gradient : where(winning_updates(c), gradient, 0);
  });
}

Value emit_scatter(const OpDef& op,
                   std::array<Value, 3> operands,
                   IndexDims dims,
                   const ScatterOptions& options,
                   SourceLoc loc) {
  const Value& x = operands[0];
  const Value& indices = operands[1];
  const Value& updates = operands[2];
  auto emit_with = [&](Value places, OutOfBounds mode) {
    return emit(op, {x, places, updates},
                ScatterAttrs{dims, mode, options.indices_are_sorted, options.unique_indices}, loc);
  };
  if (options.mode != OutOfBounds::clip) return emit_with(indices, options.mode);
  // clip_indices requires valid dimension numbers. Emitting this unused node makes infer check
  // them.
  emit_with(indices, OutOfBounds::promise);
  Dims window = window_sizes(x.type(), dims, updates.dims());
  return emit_with(clip_indices(indices, x.type(), dims, window, loc), OutOfBounds::promise);
}

}  // namespace

const OpDef kScatter{.name = "scatter", .infer = infer_scatter, .write = write_set, .vjp = set_vjp};
const OpDef kScatterAdd{
    .name = "scatter_add", .infer = infer_scatter, .write = write_add, .vjp = add_vjp};
const OpDef kScatterMul{
    .name = "scatter_mul", .infer = infer_scatter, .write = write_mul, .vjp = mul_vjp};
const OpDef kScatterMin{
    .name = "scatter_min", .infer = infer_scatter, .write = write_min, .vjp = extremum_vjp};
const OpDef kScatterMax{
    .name = "scatter_max", .infer = infer_scatter, .write = write_max, .vjp = extremum_vjp};

Value scatter(
    Value x, Value indices, Value updates, IndexDims dims, ScatterOptions options, SourceLoc loc) {
  return emit_scatter(kScatter, {x, indices, updates}, std::move(dims), options, loc);
}

Value scatter_add(
    Value x, Value indices, Value updates, IndexDims dims, ScatterOptions options, SourceLoc loc) {
  return emit_scatter(kScatterAdd, {x, indices, updates}, std::move(dims), options, loc);
}

Value scatter_mul(
    Value x, Value indices, Value updates, IndexDims dims, ScatterOptions options, SourceLoc loc) {
  return emit_scatter(kScatterMul, {x, indices, updates}, std::move(dims), options, loc);
}

Value scatter_min(
    Value x, Value indices, Value updates, IndexDims dims, ScatterOptions options, SourceLoc loc) {
  return emit_scatter(kScatterMin, {x, indices, updates}, std::move(dims), options, loc);
}

Value scatter_max(
    Value x, Value indices, Value updates, IndexDims dims, ScatterOptions options, SourceLoc loc) {
  return emit_scatter(kScatterMax, {x, indices, updates}, std::move(dims), options, loc);
}

Value segment_sum(
    Value data, Value ids, std::int64_t num_segments, ScatterOptions options, SourceLoc loc) {
  auto rank = static_cast<std::ptrdiff_t>(ids.rank());
  MW_CHECK(
      rank <= data.rank() && std::equal(ids.dims().begin(), ids.dims().end(), data.dims().begin()),
      "segment_sum: the dimensions of ids ", ids, " are not the leading ones of ", data,
      origin(loc));
  Dims sums(data.dims().begin() + rank, data.dims().end());
  sums.insert(sums.begin(), num_segments);
  IndexDims dims{.collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = rank};
  for (std::int64_t d = rank; d < data.rank(); ++d)
    dims.offset_dims.push_back(d);
  Value start = constant(0, data.dtype(), std::move(sums), loc);
  return scatter_add(start, ids, data, std::move(dims), options, loc);
}

}  // namespace meshwright::graph
