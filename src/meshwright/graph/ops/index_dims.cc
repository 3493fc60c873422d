// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/index_dims.h"

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::graph {
namespace {

void check_distinct(const Node& node,
                    std::string_view name,
                    const Dims& dims,
                    std::string_view of,
                    const Type& type) {
  if (!in_range(dims, type.rank()) || !is_unique(dims)) {
    reject(node, name, " ", dims, " are not distinct dimensions of the ", of, " ", type);
  }
}

void check_increasing(const Node& node, std::string_view name, const Dims& dims) {
  if (!is_sorted(dims)) reject(node, name, " ", dims, " are not increasing");
}

void check_disjoint(const Node& node,
                    std::string_view name,
                    const Dims& dims,
                    const Dims& operand_batching_dims) {
  if (!is_unique(dims, operand_batching_dims)) {
    reject(node, name, " ", dims, " and operand_batching_dims ", operand_batching_dims, " overlap");
  }
}

void check_batching(const Node& node,
                    const Type& operand,
                    const Type& indices,
                    const IndexDims& dims) {
  const Dims& of_operand = dims.operand_batching_dims;
  const Dims& of_indices = dims.start_indices_batching_dims;
  // stablehlo: gather_c10, gather_c11, scatter_c12, scatter_c13
  check_distinct(node, "operand_batching_dims", of_operand, "array", operand);
  check_increasing(node, "operand_batching_dims", of_operand);
  // stablehlo: gather_c13, gather_c14, scatter_c14, scatter_c15
  check_distinct(node, "start_indices_batching_dims", of_indices, "indices", indices);
  // stablehlo: gather_c15, scatter_c16
  if (contains(of_indices, dims.index_vector_dim)) {
    reject(node, "index_vector_dim ", dims.index_vector_dim,
           " is one of start_indices_batching_dims ", of_indices);
  }
  // stablehlo: gather_c16, gather_c17, scatter_c17, scatter_c18
  bool same = of_operand.size() == of_indices.size();
  for (std::size_t i = 0; same && i < of_operand.size(); ++i) {
    same = operand.dims[static_cast<std::size_t>(of_operand[i])] ==
           indices.dims[static_cast<std::size_t>(of_indices[i])];
  }
  if (!same) {
    reject(node, "operand_batching_dims ", of_operand, " of ", operand,
           " and start_indices_batching_dims ", of_indices, " of ", indices, " do not match");
  }
}

}  // namespace

IndexDims along_dim(int rank, std::int64_t dim) {
  Dims others = counting_without(rank, std::array{dim});
  return {.collapsed_slice_dims = {dim},
          .operand_batching_dims = others,
          .start_indices_batching_dims = others,
          .start_index_map = {dim},
          .index_vector_dim = rank};
}

std::int64_t num_index_components(const ArrayType& indices, const IndexDims& dims) {
  if (dims.index_vector_dim == indices.rank()) return 1;
  return indices.dims[static_cast<std::size_t>(dims.index_vector_dim)];
}

Value index_component(Value indices, const IndexDims& dims, std::int64_t i, SourceLoc loc) {
  if (dims.index_vector_dim == indices.rank()) return indices;
  return take_index(indices, dims.index_vector_dim, i, loc);
}

Dims gathered_dims(const ArrayType& indices, const IndexDims& dims, const Dims& slice_sizes) {
  Dims batch;
  for (std::int64_t d = 0; d < indices.rank(); ++d) {
    if (d != dims.index_vector_dim) batch.push_back(indices.dims[static_cast<std::size_t>(d)]);
  }
  Dims window;
  for (std::int64_t d = 0; d < std::ssize(slice_sizes); ++d) {
    if (!contains(dims.collapsed_slice_dims, d) && !contains(dims.operand_batching_dims, d)) {
      window.push_back(slice_sizes[static_cast<std::size_t>(d)]);
    }
  }
  Dims out;
  auto next_batch = batch.begin();
  auto next_window = window.begin();
  for (std::int64_t d = 0; d < std::ssize(batch) + std::ssize(window); ++d)
    out.push_back(contains(dims.offset_dims, d) ? *next_window++ : *next_batch++);
  return out;
}

Dims window_sizes(const ArrayType& operand, const IndexDims& dims, const Dims& update_dims) {
  Dims sizes(operand.dims.size(), 1);
  auto next = dims.offset_dims.begin();
  for (std::int64_t d = 0; d < operand.rank(); ++d) {
    if (contains(dims.collapsed_slice_dims, d) || contains(dims.operand_batching_dims, d)) continue;
    sizes[static_cast<std::size_t>(d)] = update_dims[static_cast<std::size_t>(*next++)];
  }
  return sizes;
}

std::int64_t last_start(const ArrayType& operand,
                        const IndexDims& dims,
                        const Dims& slice_sizes,
                        std::int64_t i) {
  auto d = static_cast<std::size_t>(dims.start_index_map[static_cast<std::size_t>(i)]);
  return operand.dims[d] - slice_sizes[d];
}

bool holds(DType dtype, std::int64_t limit) {
  int bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
  return bits >= 63 || limit < std::int64_t{1} << bits;
}

Value clip_indices(Value indices,
                   const ArrayType& operand,
                   const IndexDims& dims,
                   const Dims& slice_sizes,
                   SourceLoc loc) {
  std::vector<Value> parts;
  bool vectors = dims.index_vector_dim < indices.rank();
  for (std::int64_t i = 0; i < num_index_components(indices.type(), dims); ++i) {
    Value part = vectors ? take_slice(indices, dims.index_vector_dim, i, i + 1, loc) : indices;
    std::int64_t last = last_start(operand, dims, slice_sizes, i);
    if (holds(indices.dtype(), last)) {
      parts.push_back(clamp(0, Operand(part, loc), last));
    } else {  // the dtype cannot represent an index greater than `last`
      parts.push_back(maximum(Operand(part, loc), 0));
    }
  }
  if (parts.empty()) return indices;
  return vectors ? concatenate(std::move(parts), dims.index_vector_dim, loc) : parts[0];
}

Value windows_inside(Value indices,
                     const ArrayType& operand,
                     const IndexDims& dims,
                     const Dims& slice_sizes,
                     SourceLoc loc) {
  Value inside;
  auto require = [&](Value condition) {
    inside = inside.is_null() ? condition : logical_and(Operand(inside, loc), condition);
  };
  for (std::int64_t i = 0; i < num_index_components(indices.type(), dims); ++i) {
    Operand start(index_component(indices, dims, i, loc), loc);
    std::int64_t last = last_start(operand, dims, slice_sizes, i);
    if (is_signed(indices.dtype())) require(start >= 0);
    if (holds(indices.dtype(), last)) require(start <= last);
  }
  return inside;
}

void check_index_dims(const Node& node,
                      const Type& operand,
                      const Type& indices,
                      const IndexDims& dims,
                      int result_rank) {
  if (!is_integer(indices.dtype)) reject(node, "the indices are ", indices, ", not integers");
  // stablehlo: gather_c2, scatter_c22
  if (dims.index_vector_dim < 0 || dims.index_vector_dim > indices.rank()) {
    reject(node, "index_vector_dim ", dims.index_vector_dim, " is out of range for the indices ",
           indices);
  }
  // stablehlo: gather_c6, gather_c7, gather_c8, scatter_c9, scatter_c10, scatter_c11
  check_distinct(node, "collapsed_slice_dims", dims.collapsed_slice_dims, "array", operand);
  check_increasing(node, "collapsed_slice_dims", dims.collapsed_slice_dims);
  check_disjoint(node, "collapsed_slice_dims", dims.collapsed_slice_dims,
                 dims.operand_batching_dims);
  check_batching(node, operand, indices, dims);
  // stablehlo: gather_c1, scatter_c2
  std::size_t ways = dims.offset_dims.size() + dims.collapsed_slice_dims.size() +
                     dims.operand_batching_dims.size();
  if (ways != operand.dims.size()) {
    reject(node, "the rank of ", operand, " is not the number of offset_dims ", dims.offset_dims,
           ", collapsed_slice_dims ", dims.collapsed_slice_dims, " and operand_batching_dims ",
           dims.operand_batching_dims, " together");
  }
  // stablehlo: gather_c4, gather_c5, scatter_c7, scatter_c8
  if (!in_range(dims.offset_dims, result_rank) || !is_unique(dims.offset_dims)) {
    reject(node, "offset_dims ", dims.offset_dims, " are not distinct dimensions of rank ",
           result_rank);
  }
  check_increasing(node, "offset_dims", dims.offset_dims);
  // stablehlo: gather_c3, scatter_c19
  if (std::ssize(dims.start_index_map) != num_index_components(indices, dims)) {
    reject(node, "start_index_map ", dims.start_index_map, " does not match index vectors of ",
           num_index_components(indices, dims), " elements in ", indices);
  }
  // stablehlo: gather_c18, gather_c19, scatter_c20, scatter_c21
  check_distinct(node, "start_index_map", dims.start_index_map, "array", operand);
  check_disjoint(node, "start_index_map", dims.start_index_map, dims.operand_batching_dims);
}

void check_window(const Node& node,
                  const Type& operand,
                  const IndexDims& dims,
                  const Dims& slice_sizes) {
  // stablehlo: gather_c20
  if (std::ssize(slice_sizes) != operand.rank()) {
    reject(node, "slice_sizes ", slice_sizes, " do not have one number per dimension of ", operand);
  }
  for (std::size_t i = 0; i < slice_sizes.size(); ++i) {
    auto d = static_cast<std::int64_t>(i);
    // stablehlo: gather_c21, scatter_c4
    if (slice_sizes[i] < 0 || slice_sizes[i] > operand.dims[i]) {
      reject(node, "a window of ", slice_sizes, " does not fit into ", operand);
    }
    // stablehlo: gather_c9, gather_c12
    bool dropped =
        contains(dims.collapsed_slice_dims, d) || contains(dims.operand_batching_dims, d);
    if (dropped && slice_sizes[i] > 1) {
      reject(node, "the window ", slice_sizes, " is larger than 1 along dimension ", d,
             ", which is collapsed or batched");
    }
  }
}

}  // namespace meshwright::graph
