// SPDX-License-Identifier: Apache-2.0
// Parts of arrays at places known while tracing (slice) or only when the program runs
// (dynamic_slice). Negative positions of dimensions count from the end.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct SliceAttrs {  // one number per dimension in each list
  Dims start, limit, stride;
};
/// attrs: SliceAttrs.
extern const OpDef kSlice;
/// Operands: the array, then a scalar integer for each dimension. attrs: Dims, the sizes of the
/// slice.
extern const OpDef kDynamicSlice;
/// Operands: the array, the update, then a scalar integer for each dimension.
extern const OpDef kDynamicUpdateSlice;

inline constexpr std::array kSliceOps = {&kSlice, &kDynamicSlice, &kDynamicUpdateSlice};

/// The elements start, start + stride, ... below limit of every dimension; no stride: 1.
Value slice(
    Value x, Dims start, Dims limit, Dims stride = {}, SourceLoc loc = SourceLoc::current());

inline constexpr std::int64_t kToEnd = std::numeric_limits<std::int64_t>::max();
/// The elements start..stop-1 of one dimension; negative bounds count from the end of it.
/// Throws invalid_argument for bounds outside the array.
Value take_slice(Value x,
                 std::int64_t dim,
                 std::int64_t start,
                 std::int64_t stop = kToEnd,
                 SourceLoc loc = SourceLoc::current());
/// Element `index` of one dimension, which disappears; a negative index counts from the end.
Value take_index(Value x,
                 std::int64_t dim,
                 std::int64_t index,
                 SourceLoc loc = SourceLoc::current());
/// Consecutive parts of these sizes, which add up to the size of the dimension.
std::vector<Value> split(Value x,
                         std::int64_t dim,
                         const Dims& sizes,
                         SourceLoc loc = SourceLoc::current());
/// `count` consecutive parts of equal size.
std::vector<Value> split_evenly(Value x,
                                std::int64_t dim,
                                std::int64_t count,
                                SourceLoc loc = SourceLoc::current());

/// A slice of these sizes that begins at `start`, an integer for each dimension. Where the slice
/// would reach over the end, or start is negative, it is moved to the nearest place inside.
Value dynamic_slice(Value x,
                    const std::vector<Operand>& start,
                    Dims sizes,
                    SourceLoc loc = SourceLoc::current());
/// x with the elements from `start` on replaced by `update`; moved inside as in dynamic_slice.
Value dynamic_update_slice(Value x,
                           Value update,
                           const std::vector<Operand>& start,
                           SourceLoc loc = SourceLoc::current());
/// Like dynamic_slice and dynamic_update_slice along one dimension, with all of the others.
Value dynamic_slice_in_dim(Value x, std::int64_t dim, Operand start, std::int64_t size);
Value dynamic_update_slice_in_dim(Value x, Value update, std::int64_t dim, Operand start);

}  // namespace meshwright::graph
