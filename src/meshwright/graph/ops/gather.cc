// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/gather.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_gather(const Node& node) {
  const auto& attrs = node.attr<GatherAttrs>();
  const Type& x = node.in(0);
  const Type& indices = node.in(1);
  bool vectors = attrs.dims.index_vector_dim < indices.rank();
  int rank = indices.rank() - (vectors ? 1 : 0) + static_cast<int>(attrs.dims.offset_dims.size());
  check_index_dims(node, x, indices, attrs.dims, rank);
  check_window(node, x, attrs.dims, attrs.slice_sizes);
  // stablehlo: gather_c22
  return {Type(x.dtype, gathered_dims(indices, attrs.dims, attrs.slice_sizes))};
}

void write_gather(Writer& writer, const Node& node) {
  const auto& attrs = node.attr<GatherAttrs>();
  const IndexDims& dims = attrs.dims;
  auto list = [](const Dims& values) { return str("[", join(values, ", "), "]"); };
  writer.op(node, "stablehlo.gather",
            str("dimension_numbers = #stablehlo.gather<offset_dims = ", list(dims.offset_dims),
                ", collapsed_slice_dims = ", list(dims.collapsed_slice_dims),
                ", operand_batching_dims = ", list(dims.operand_batching_dims),
                ", start_indices_batching_dims = ", list(dims.start_indices_batching_dims),
                ", start_index_map = ", list(dims.start_index_map), ", index_vector_dim = ",
                dims.index_vector_dim, ">, slice_sizes = ", mlir_array(attrs.slice_sizes),
                ", indices_are_sorted = ", attrs.indices_are_sorted));
}

void gather_vjp(VjpContext& c) {
  c.add(0, [&] {
    const auto& attrs = c.attr<GatherAttrs>();
    return scatter_add(zeros(c.node().in(0)), c.operand(1), c.cotangent(), attrs.dims,
                       {.mode = attrs.mode,
                        .indices_are_sorted = attrs.indices_are_sorted,
                        .unique_indices = attrs.unique_indices});
  });
}

Value fill_constant(const Type& type, std::optional<double> number, SourceLoc loc) {
  DType dtype = type.dtype;
  if (number) return constant(*number, dtype, type.dims, loc);
  if (is_float(dtype)) {
    return constant(std::numeric_limits<double>::quiet_NaN(), dtype, type.dims, loc);
  }
  if (dtype == DType::pred) return constant(1, dtype, type.dims, loc);
  int bits = bit_width(dtype);
  if (is_signed(dtype)) return constant(std::int64_t{-1} << (bits - 1), dtype, type.dims, loc);
  return constant(bits == 64 ? -1 : (std::int64_t{1} << bits) - 1, dtype, type.dims, loc);
}

// Adds `size` to negative indices, which count from the end. Widens a dtype that cannot represent
// `size`.
Value from_end(Value indices, std::int64_t size, SourceLoc loc) {
  if (!is_signed(indices.dtype())) return indices;
  if (!holds(indices.dtype(), size)) indices = cast(Operand(indices, loc), s32);
  Operand start(indices, loc);
  return where(start < 0, start + size, start);
}

void check_indices(std::string_view op, const Value& indices, SourceLoc loc) {
  MW_CHECK(is_integer(indices.dtype()), op, ": the indices are ", indices, ", not integers",
           origin(loc));
}

}  // namespace

const OpDef kGather{
    .name = "gather", .infer = infer_gather, .write = write_gather, .vjp = gather_vjp};

Value gather(Value x,
             Value indices,
             const IndexDims& dims,
             const Dims& slice_sizes,
             GatherOptions options,
             SourceLoc loc) {
  Value out = emit(kGather, {x, indices},
                   GatherAttrs{dims, slice_sizes, options.mode, options.indices_are_sorted,
                               options.unique_indices},
                   loc);
  if (options.mode != OutOfBounds::fill) return out;
  Value inside = windows_inside(indices, x.type(), dims, slice_sizes, loc);
  if (inside.is_null()) return out;
  inside =
      broadcast_in_dim(inside, out.dims(), counting_without(out.rank(), dims.offset_dims), loc);
  return where(Operand(inside, loc), out, fill_constant(out.type(), options.fill_value, loc));
}

Value take(Value x, Value indices, std::int64_t dim, GatherOptions options, SourceLoc loc) {
  dim = from_start(dim, x.rank());
  MW_CHECK(in_range(std::array{dim}, x.rank()), "take: there is no dimension ", dim, " in ", x,
           origin(loc));
  check_indices("take", indices, loc);
  if (options.mode == OutOfBounds::fill) {
    indices = from_end(indices, x.dim(static_cast<int>(dim)), loc);
  }
  IndexDims dims{
      .collapsed_slice_dims = {dim}, .start_index_map = {dim}, .index_vector_dim = indices.rank()};
  Dims slice_sizes = x.dims();
  slice_sizes[static_cast<std::size_t>(dim)] = 1;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    if (d != dim) dims.offset_dims.push_back(d < dim ? d : d - 1 + indices.rank());
  }
  return gather(x, indices, dims, slice_sizes, options, loc);
}

Value take_along_dim(
    Value x, Value indices, std::int64_t dim, GatherOptions options, SourceLoc loc) {
  dim = from_start(dim, x.rank());
  MW_CHECK(in_range(std::array{dim}, x.rank()), "take_along_dim: there is no dimension ", dim,
           " in ", x, origin(loc));
  check_indices("take_along_dim", indices, loc);
  MW_CHECK(indices.rank() == x.rank(), "take_along_dim: ", x, " and indices ", indices,
           " differ in rank", origin(loc));
  if (options.mode != OutOfBounds::promise) {
    indices = from_end(indices, x.dim(static_cast<int>(dim)), loc);
  }
  IndexDims dims{.start_index_map = {dim}};
  Dims slice_sizes(x.dims().size(), 1);
  Dims index_dims;
  for (std::int64_t d = 0; d < x.rank(); ++d) {
    auto at = static_cast<std::size_t>(d);
    std::int64_t x_size = x.dims()[at];
    std::int64_t indices_size = indices.dims()[at];
    if (d != dim && indices_size == 1) {  // the window spans d, since all of it has the same index
      dims.offset_dims.push_back(d);
      slice_sizes[at] = x_size;
      continue;
    }
    if (d == dim || x_size == 1) {
      dims.collapsed_slice_dims.push_back(d);
    } else {
      MW_CHECK(x_size == indices_size, "take_along_dim: dimension ", d, " of ", x,
               " and of indices ", indices, " differ", origin(loc));
      dims.operand_batching_dims.push_back(d);
      dims.start_indices_batching_dims.push_back(std::ssize(index_dims));
    }
    index_dims.push_back(indices_size);
  }
  dims.index_vector_dim = std::ssize(index_dims);
  indices = reshape(indices, std::move(index_dims), loc);
  return gather(x, indices, dims, slice_sizes, options, loc);
}

Value one_hot(
    Value indices, std::int64_t num_classes, DType dtype, std::int64_t dim, SourceLoc loc) {
  check_indices("one_hot", indices, loc);
  if (bit_width(indices.dtype()) < 32) indices = cast(Operand(indices, loc), s32);
  dim = from_start(dim, indices.rank() + 1);
  indices = expand_dims(indices, {dim}, loc);
  Dims dims = indices.dims();
  dims[static_cast<std::size_t>(dim)] = num_classes;
  Value classes = iota(indices.dtype(), dims, dim, loc);
  return cast(Operand(equal(Operand(indices, loc), classes), loc), dtype);
}

}  // namespace meshwright::graph
