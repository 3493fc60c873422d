// SPDX-License-Identifier: Apache-2.0
// Ordering. Floats are ordered as -inf < ... < -0 = +0 < ... < +inf < NaN, descending the other way
// round.
#pragma once

#include <array>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct SortOptions {
  std::int64_t dim = -1;
  int num_keys = 1;  // compares the first operands, the second where the first ones are equal, ...
  bool descending = false;
  bool stable = true;  // equal elements keep their order
};
/// attrs: SortOptions.
extern const OpDef kSort;
/// Results: the values, and s32 indices along the last dimension. attrs: std::int64_t, how many.
extern const OpDef kTopK;

inline constexpr std::array kSortOps = {&kSort, &kTopK};

/// The operands, all of one shape, in the order of the first num_keys of them; the others follow.
std::vector<Value> sort(std::vector<Value> operands,
                        SortOptions options = {},
                        SourceLoc loc = SourceLoc::current());
Value sort(Value x, SortOptions options = {}, SourceLoc loc = SourceLoc::current());
/// The s32 indices along options.dim that would sort x.
Value argsort(Value x, SortOptions options = {}, SourceLoc loc = SourceLoc::current());

struct TopK {
  Value values;
  Value indices;  // s32
};
/// The k largest elements along `dim`, the largest first, of equal ones that with the lower index;
/// NaN counts as largest.
TopK top_k(Value x, std::int64_t k, std::int64_t dim = -1, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
