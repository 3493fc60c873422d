// SPDX-License-Identifier: Apache-2.0
// Shapes in this file: matrices are [batch, m, n] with m >= n, vectors are [batch, m].
#include "meshwright/nn/orthogonal.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::nn {
namespace {

using graph::random::Key;

// A Householder reflection, which maps each column a to a - factor (v . a) v.
struct Reflection {
  Value v;
  Value factor;
};

Value reflect(Value matrices, const Reflection& by) {
  graph::DotDims over_rows{
      .lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {1}, .rhs_contract = {1}};
  Value products =
      graph::dot_general(by.v, matrices, over_rows) * graph::expand_dims(by.factor, {1});
  return matrices - graph::expand_dims(by.v, {2}) * graph::expand_dims(products, {1});
}

Value sum_of_rows(Value vectors) {
  return graph::reduce_sum(vectors, {1});
}

struct Reduced {
  Reflection reflection;
  Value diagonal;  // the diagonal element of the reflected column
};

// Returns the reflection that maps column k to a multiple of unit vector k and leaves rows above k
// unchanged.
Reduced reduce_column(Value matrices, Value k) {
  const Dims& dims = matrices.dims();
  Value column = graph::squeeze(graph::dynamic_slice_in_dim(matrices, 2, k, 1), {2});
  Value row = graph::iota(s32, {dims[0], dims[1]}, 1);
  Value below = graph::where(row >= k, column, 0);
  Value at_row = graph::cast(graph::equal(row, k), matrices.dtype());
  Value pivot = sum_of_rows(below * at_row);
  Value norm = sqrt(sum_of_rows(square(below)));
  // The sign avoids cancellation in pivot - diagonal.
  Value diagonal = graph::where(pivot >= 0, -norm, norm);
  Value v = below - at_row * graph::expand_dims(diagonal, {1});
  Value squares = sum_of_rows(square(v));
  Value is_zero = graph::equal(squares, 0);
  Value factor = graph::where(is_zero, 0, 2 / graph::where(is_zero, 1, squares));
  return {{v, factor}, diagonal};
}

// Returns the factor Q of each matrix = QR, where R has a nonnegative diagonal.
Value orthonormal_columns(Value matrices) {
  const Dims& dims = matrices.dims();
  Value columns = graph::iota(s32, {dims[2]});
  graph::ScanResult forward = graph::scan(
      std::vector{matrices}, std::vector{columns}, [](std::span<const Value> carry, auto k) {
        Reduced reduced = reduce_column(carry[0], k[0]);
        const Reflection& by = reduced.reflection;
        return graph::ScanStep{{reflect(carry[0], by)}, {by.v, by.factor, reduced.diagonal}};
      });
  Value is_diagonal = graph::equal(graph::iota(s32, dims, 1), graph::iota(s32, dims, 2));
  graph::ScanResult backward =
      graph::scan(std::vector{graph::cast(is_diagonal, matrices.dtype())},
                  std::vector{forward.ys[0], forward.ys[1]},
                  [](std::span<const Value> carry, std::span<const Value> xs) {
                    return graph::ScanStep{{reflect(carry[0], {xs[0], xs[1]})}, {}};
                  },
                  {.reverse = true});
  Value signs = graph::transpose(sign(forward.ys[2]), {1, 0});
  return backward.carry[0] * graph::expand_dims(signs, {1});
}

std::size_t column_dim(const InitShape& shape, const std::string& column) {
  MW_CHECK(shape.dims.size() >= 2, "initialiser orthogonal: needs at least two dimensions, got ",
           shape.dims);
  if (column.empty()) return shape.dims.size() - 1;
  auto found = std::ranges::find(shape.axes, column);
  MW_CHECK(found != shape.axes.end(), "initialiser orthogonal: the parameter has no axis '", column,
           "', only '", join(shape.axes, " "), "'");
  return static_cast<std::size_t>(found - shape.axes.begin());
}

}  // namespace

Init orthogonal(double scale, std::string column) {
  return [scale, column = std::move(column)](const Key& key, const InitShape& shape) {
    const std::size_t dim = column_dim(shape, column);
    const std::int64_t num_columns = shape.dims[dim];
    const std::int64_t num_rows = num_elements(shape.dims) / num_columns;
    const std::int64_t m = std::max(num_rows, num_columns);
    const std::int64_t n = std::min(num_rows, num_columns);
    const std::int64_t batch = num_elements(key.dims());
    Value drawn = graph::random::normal(key, {m, n}, shape.dtype);
    const DType wide = shape.dtype == f64 ? f64 : f32;
    Value q = orthonormal_columns(graph::reshape(graph::cast(drawn, wide), {batch, m, n}));
    if (num_rows < num_columns) q = graph::swap_dims(q, 1, 2);
    // q has the row axes first, in order, then the column axis. Moves the latter to its position.
    Dims dims = key.dims();
    Dims places;
    for (std::size_t i = 0; i < dims.size(); ++i)
      places.push_back(static_cast<std::int64_t>(i));
    const auto first = static_cast<std::int64_t>(dims.size());
    const auto last = first + std::ssize(shape.dims) - 1;
    std::int64_t next = first;
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
      if (i != dim) dims.push_back(shape.dims[i]);
      places.push_back(i == dim ? last : next++);
    }
    dims.push_back(num_columns);
    Value placed = graph::transpose(graph::reshape(q, dims), places);
    return graph::cast(placed, shape.dtype) * scale;
  };
}

}  // namespace meshwright::nn
