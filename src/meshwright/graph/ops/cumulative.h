// SPDX-License-Identifier: Apache-2.0
// Cumulative sums, products, extrema and other scans along one dimension.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct CumulativeOptions {
  bool reverse = false;    // scans from the last element to the first
  bool exclusive = false;  // excludes the element itself; the first result is 0 or 1
};

/// Sums f16 and bf16 in f32 and rounds once.
Value cumsum(Value x,
             std::int64_t dim,
             const CumulativeOptions& options = {},
             SourceLoc loc = SourceLoc::current());
Value cumprod(Value x,
              std::int64_t dim,
              const CumulativeOptions& options = {},
              SourceLoc loc = SourceLoc::current());

Value cummax(Value x, std::int64_t dim, bool reverse = false, SourceLoc loc = SourceLoc::current());
Value cummin(Value x, std::int64_t dim, bool reverse = false, SourceLoc loc = SourceLoc::current());
/// Returns the logarithm of the cumulative sums of exp(x).
Value cumlogsumexp(Value x,
                   std::int64_t dim,
                   bool reverse = false,
                   SourceLoc loc = SourceLoc::current());

/// Combines two sequences of elements elementwise, the earlier one first. Must be associative.
using Combine =
    std::function<std::vector<Value>(std::span<const Value> before, std::span<const Value> after)>;

/// Scans arrays of equal size along `dim`: element i of the results combines elements 0..i, or
/// n-1..i with `reverse`. Takes about 2 log2 n rounds and at most 2 n combinations in total.
std::vector<Value> associative_scan(std::vector<Value> arrays,
                                    std::int64_t dim,
                                    const Combine& combine,
                                    bool reverse = false,
                                    SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
