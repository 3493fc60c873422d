// SPDX-License-Identifier: Apache-2.0
// Sorting and top-k. Floats are ordered -inf < ... < -0 = +0 < ... < +inf < NaN; descending order
// is the reverse.
#pragma once

#include <array>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct SortOptions {
  std::int64_t dim = -1;
  int num_keys = 1;  // compares the first operand; if equal, the second; and so on
  bool descending = false;
  bool stable = true;  // equal elements keep their order
};
/// attrs: SortOptions.
extern const OpDef kSort;
/// Results: the values and their s32 indices along the last dimension. attrs: std::int64_t, k.
extern const OpDef kTopK;

inline constexpr std::array kSortOps = {&kSort, &kTopK};

/// Sorts operands of equal shape by the first num_keys of them; the others are permuted
/// accordingly.
std::vector<Value> sort(std::vector<Value> operands,
                        SortOptions options = {},
                        SourceLoc loc = SourceLoc::current());
Value sort(Value x, SortOptions options = {}, SourceLoc loc = SourceLoc::current());
/// Returns the s32 indices along options.dim that would sort x.
Value argsort(Value x, SortOptions options = {}, SourceLoc loc = SourceLoc::current());

struct TopK {
  Value values;
  Value indices;  // s32
};
/// Returns the k largest elements along `dim` in descending order. Ties are ordered by index; NaN
/// counts as the largest.
TopK top_k(Value x, std::int64_t k, std::int64_t dim = -1, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
