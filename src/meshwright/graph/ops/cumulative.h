// SPDX-License-Identifier: Apache-2.0
// Running sums, products and the like along one dimension.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct CumulativeOptions {
  bool reverse = false;    // from the last element to the first
  bool exclusive = false;  // an element itself does not count; the first result is the neutral one
};

/// Sums of f16 and bf16 are taken in f32 and rounded once.
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
/// log of the running sums of exp(x).
Value cumlogsumexp(Value x,
                   std::int64_t dim,
                   bool reverse = false,
                   SourceLoc loc = SourceLoc::current());

/// Combines, element by element, what was accumulated before with what follows. Must be
/// associative.
using Combine =
    std::function<std::vector<Value>(std::span<const Value> before, std::span<const Value> after)>;

/// For arrays of one size along `dim`: result i combines elements 0..i (with `reverse`, elements
/// n-1..i) along it. Takes about 2 log2 n rounds, and at most 2 n combinations in all.
std::vector<Value> associative_scan(std::vector<Value> arrays,
                                    std::int64_t dim,
                                    const Combine& combine,
                                    bool reverse = false,
                                    SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
