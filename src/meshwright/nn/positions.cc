// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/positions.h"

#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::nn {

using graph::concatenate;
using graph::iota;

namespace {

// Returns positions * max_timescale^(-i / count) for i < count, along a new last axis.
Value angles(Value positions, std::int64_t count, double max_timescale, double last_exponent) {
  Dims dims = positions.dims();
  dims.push_back(count);
  double step = -std::log(max_timescale) * last_exponent;
  Value frequency = graph::exp(iota(f32, {count}) * step);
  Value where_it_stands = graph::expand_dims(graph::cast(positions, f32), {-1});
  return graph::broadcast_to(where_it_stands, dims) * frequency;
}

// Inserts dimensions of size 1 so that the table broadcasts against x.
Value beside(Value table, const Value& x) {
  Dims dims(static_cast<std::size_t>(x.rank()), 1);
  dims.back() = table.dim(-1);
  dims[1] = table.dim(-2);
  if (table.rank() == 3) dims[0] = table.dim(0);
  return reshape(table, dims);
}

}  // namespace

Value positions(std::int64_t len) {
  return iota(s32, {len});
}

Rope::Rope(Value positions, std::int64_t dim, const RopeOptions& options) : pairs_(options.pairs) {
  MW_CHECK(dim % 2 == 0, "rope: head size ", dim, " is odd");
  MW_CHECK(positions.rank() == 1 || positions.rank() == 2,
           "rope: positions must be [len] or [batch, len], got ", positions);
  Value angle = angles(positions, dim / 2, options.max_timescale, 2.0 / static_cast<double>(dim));
  // The barriers materialise the tables. If XLA fused them into their users, they would be
  // recomputed for each head and layer.
  cosine_ = graph::optimization_barrier(graph::cos(angle));
  sine_ = graph::optimization_barrier(graph::sin(angle));
}

Value Rope::operator()(Value x) const {
  MW_CHECK(x.rank() >= 3 && x.dim(-1) == 2 * cosine_.dim(-1) && x.dim(1) == cosine_.dim(-2),
           "rope: the table for ", cosine_.dim(-2), " positions of heads of size ",
           2 * cosine_.dim(-1), " does not match ", x, graph::origin(SourceLoc()));
  Value cosine = beside(cosine_, x), sine = beside(sine_, x);
  Value wide = cast(x, f32);
  if (pairs_ == RopePairs::halves) {
    std::vector<Value> half = split_evenly(wide, -1, 2);
    return cast(concatenate({half[0] * cosine - half[1] * sine,  //
                             half[1] * cosine + half[0] * sine},
                            -1),
                x.dtype());
  }
  Dims paired = x.dims();
  paired.back() /= 2;
  paired.push_back(2);
  wide = reshape(wide, paired);
  Value even = take_index(wide, -1, 0), odd = take_index(wide, -1, 1);
  Value turned = graph::stack({even * cosine - odd * sine, odd * cosine + even * sine}, -1);
  return cast(reshape(turned, x.dims()), x.dtype());
}

Value sincos(Value positions, std::int64_t dim, double max_timescale) {
  MW_CHECK(dim % 2 == 0 && dim >= 4, "sincos: size ", dim, " must be even and at least 4");
  const std::int64_t num_angles = dim / 2;
  Value angle =
      angles(positions, num_angles, max_timescale, 1.0 / static_cast<double>(num_angles - 1));
  return concatenate({graph::sin(angle), graph::cos(angle)}, -1);
}

Value sincos_2d(std::int64_t height, std::int64_t width, std::int64_t dim, double max_timescale) {
  MW_CHECK(dim % 4 == 0, "sincos_2d: size ", dim, " is not a multiple of 4");
  Value cell = iota(s32, {height * width});
  Value column = graph::remainder(cell, width), row = cell / width;
  return concatenate({sincos(column, dim / 2, max_timescale), sincos(row, dim / 2, max_timescale)},
                     -1);
}

RelativeBias::RelativeBias(Module* parent, std::string name, const RelativeBiasOptions& options)
    : Module(parent, std::move(name), {{"relative_buckets", options.num_buckets}}),
      options_(options),
      table_(param("table",
                   AxisSpec::parse("relative_buckets " + options.heads),
                   variance_scaling({.fan = Fan::average,
                                     .distribution = Distribution::uniform,
                                     .axes = {.in = "relative_buckets"}}))) {}

Value RelativeBias::operator()(Ctx& p, Value query_positions, Value key_positions) const {
  Scope scope(*this);
  Value distance = expand_dims(key_positions, {0}) - expand_dims(query_positions, {1});
  return transpose(of(p, distance), {2, 3, 0, 1});
}

Value RelativeBias::by_distance(Ctx& p, std::int64_t len, std::int64_t src) const {
  Scope scope(*this);
  return transpose(of(p, iota(s32, {len + src - 1}) - (len - 1)), {1, 2, 0});
}

Value RelativeBias::of(Ctx& p, Value distance) const {
  int buckets = options_.num_buckets;
  Value first = graph::constant(0, s32);
  if (options_.is_bidirectional) {
    buckets /= 2;
    first = cast(distance > 0, s32) * buckets;
    distance = abs(distance);
  } else {
    distance = maximum(-distance, 0);
  }
  // Half of the buckets hold one distance each; the others grow logarithmically up to max_distance.
  int exact = buckets / 2;
  double per_bucket = std::log(static_cast<double>(options_.max_distance) / exact);
  Value ratio = cast(maximum(distance, 1), f32) / exact;
  // As in T5X, the ratio is increased slightly so that powers of two do not fall into a lower
  // bucket.
  Value grown = exact + cast(log(ratio + 0x1p-23) / per_bucket * (buckets - exact), s32);
  Value bucket = first + where(distance < exact, distance, minimum(grown, buckets - 1));
  return take(p.wide(table_), bucket, 0);
}

}  // namespace meshwright::nn
