// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/cumulative.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/window.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

// An associative scan along one dimension.
class Scan {
 public:
  Scan(std::int64_t dim, const Combine& combine, SourceLoc loc)
      : dim_(dim), combine_(combine), loc_(loc) {}

  // Combines pairs of neighbours, scans the combined pairs, and fills in the elements between them.
  std::vector<Value> run(const std::vector<Value>& arrays) const {
    std::int64_t n = arrays[0].dim(static_cast<int>(dim_));
    if (n < 2) return arrays;
    std::vector<Value> odd = run(combine_(strided(arrays, 0, n - 1, 2), strided(arrays, 1, n, 2)));
    std::vector<Value> even = strided(arrays, 0, 1, 1);
    if (n > 2) {
      std::vector<Value> between =
          combine_(strided(odd, 0, (n - 1) / 2, 1), strided(arrays, 2, n, 2));
      for (std::size_t i = 0; i < even.size(); ++i)
        even[i] = concatenate({even[i], between[i]}, dim_, loc_);
    }
    for (std::size_t i = 0; i < even.size(); ++i)
      even[i] = interleaved(even[i], odd[i], n);
    return even;
  }

 private:
  std::vector<Value> strided(std::vector<Value> arrays,
                             std::int64_t start,
                             std::int64_t limit,
                             std::int64_t stride) const {
    auto at = static_cast<std::size_t>(dim_);
    for (Value& x : arrays) {
      Dims from(x.dims().size(), 0), to = x.dims(), by(x.dims().size(), 1);
      from[at] = start;
      to[at] = limit;
      by[at] = stride;
      x = slice(x, from, to, by, loc_);
    }
    return arrays;
  }

  // Returns even[0], odd[0], even[1], ...: n elements.
  Value interleaved(Value even, Value odd, std::int64_t n) const {
    Value last;
    if (n % 2 != 0) {
      last = take_slice(even, dim_, -1, kToEnd, loc_);
      even = take_slice(even, dim_, 0, -1, loc_);
    }
    Value pairs = flatten(stack({even, odd}, dim_ + 1, loc_), dim_, dim_ + 1, loc_);
    return last.is_null() ? pairs : concatenate({pairs, last}, dim_, loc_);
  }

  std::int64_t dim_;
  const Combine& combine_;
  SourceLoc loc_;
};

std::int64_t checked_dim(std::string_view name, const Value& x, std::int64_t dim, SourceLoc loc) {
  std::int64_t at = from_start(dim, x.rank());
  MW_CHECK(at >= 0 && at < x.rank(), name, ": there is no dimension ", dim, " in ", x, origin(loc));
  return at;
}

// Shifts x by one element along `dim`, so that a scan of the result is exclusive.
Value shifted(Value x, std::int64_t dim, Operand neutral, bool reverse) {
  Padding padding{.low = Dims(x.dims().size(), 0), .high = Dims(x.dims().size(), 0)};
  padding.low[static_cast<std::size_t>(dim)] = reverse ? -1 : 1;
  padding.high[static_cast<std::size_t>(dim)] = reverse ? 1 : -1;
  return pad(x, neutral, padding);
}

template <typename Function>
Value scan_of(Value x, std::int64_t dim, bool reverse, SourceLoc loc, Function function) {
  CallScope call(loc);
  DType dtype = x.dtype();
  Value wide = cast(x, dtype == f16 || dtype == bf16 ? f32 : dtype);
  auto combine = [&](std::span<const Value> before, std::span<const Value> after) {
    return std::vector<Value>{function(before[0], after[0])};
  };
  return cast(associative_scan({wide}, dim, combine, reverse, loc)[0], dtype);
}

}  // namespace

std::vector<Value> associative_scan(std::vector<Value> arrays,
                                    std::int64_t dim,
                                    const Combine& combine,
                                    bool reverse_order,
                                    SourceLoc loc) {
  MW_CHECK(!arrays.empty(), "associative_scan: no arrays", origin(loc));
  dim = checked_dim("associative_scan", arrays[0], dim, loc);
  auto turn = [&] {
    if (!reverse_order) return;
    for (Value& x : arrays)
      x = reverse(x, {dim}, loc);
  };
  turn();
  arrays = Scan(dim, combine, loc).run(arrays);
  turn();
  return arrays;
}

Value cumsum(Value x, std::int64_t dim, const CumulativeOptions& options, SourceLoc loc) {
  dim = checked_dim("cumsum", x, dim, loc);
  auto at = static_cast<std::size_t>(dim);
  if (x.dims()[at] == 0) return x;
  if (options.exclusive) x = shifted(x, dim, Operand(0, loc), options.reverse);
  // The window covers all previous elements. XLA turns this into a few passes.
  Dims sizes(x.dims().size(), 1), nothing(x.dims().size(), 0);
  sizes[at] = x.dims()[at];
  Padding padding{.low = nothing, .high = nothing};
  (options.reverse ? padding.high : padding.low)[at] = sizes[at] - 1;
  return window_sum(x, sizes, {.padding = padding}, loc);
}

Value cumprod(Value x, std::int64_t dim, const CumulativeOptions& options, SourceLoc loc) {
  dim = checked_dim("cumprod", x, dim, loc);
  if (options.exclusive) x = shifted(x, dim, Operand(1, loc), options.reverse);
  return scan_of(x, dim, options.reverse, loc, [](Value a, Value b) { return a * b; });
}

Value cummax(Value x, std::int64_t dim, bool reverse, SourceLoc loc) {
  dim = checked_dim("cummax", x, dim, loc);
  return scan_of(x, dim, reverse, loc, [](Value a, Value b) { return maximum(a, b); });
}

Value cummin(Value x, std::int64_t dim, bool reverse, SourceLoc loc) {
  dim = checked_dim("cummin", x, dim, loc);
  return scan_of(x, dim, reverse, loc, [](Value a, Value b) { return minimum(a, b); });
}

Value cumlogsumexp(Value x, std::int64_t dim, bool reverse, SourceLoc loc) {
  dim = checked_dim("cumlogsumexp", x, dim, loc);
  return scan_of(x, dim, reverse, loc, [](Value a, Value b) { return logaddexp(a, b); });
}

}  // namespace meshwright::graph
