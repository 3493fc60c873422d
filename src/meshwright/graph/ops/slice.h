// SPDX-License-Identifier: Apache-2.0
// Slices of arrays at positions known while tracing (slice) or only at run time (dynamic_slice).
// Negative positions of dimensions count from the end.
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
/// Operands: the array, then one scalar integer per dimension. attrs: Dims, the sizes of the slice.
extern const OpDef kDynamicSlice;
/// Operands: the array, the update, then one scalar integer per dimension.
extern const OpDef kDynamicUpdateSlice;

inline constexpr std::array kSliceOps = {&kSlice, &kDynamicSlice, &kDynamicUpdateSlice};

/// Returns the elements start, start + stride, ... below limit in every dimension. An empty stride
/// means 1 everywhere.
Value slice(
    Value x, Dims start, Dims limit, Dims stride = {}, SourceLoc loc = SourceLoc::current());

inline constexpr std::int64_t kToEnd = std::numeric_limits<std::int64_t>::max();
/// Returns the elements [start, stop) of one dimension; negative bounds count from its end. Throws
/// invalid_argument for bounds outside the array.
Value take_slice(Value x,
                 std::int64_t dim,
                 std::int64_t start,
                 std::int64_t stop = kToEnd,
                 SourceLoc loc = SourceLoc::current());
/// Returns element `index` of one dimension and removes that dimension; a negative index counts
/// from the end.
Value take_index(Value x,
                 std::int64_t dim,
                 std::int64_t index,
                 SourceLoc loc = SourceLoc::current());
/// Splits x into consecutive parts of these sizes, which must add up to the size of the dimension.
std::vector<Value> split(Value x,
                         std::int64_t dim,
                         const Dims& sizes,
                         SourceLoc loc = SourceLoc::current());
/// Splits x into `count` consecutive parts of equal size.
std::vector<Value> split_evenly(Value x,
                                std::int64_t dim,
                                std::int64_t count,
                                SourceLoc loc = SourceLoc::current());

/// Returns the slice of these sizes that begins at `start`, which has one integer per dimension. A
/// slice that would exceed the array is moved to the nearest position inside.
Value dynamic_slice(Value x,
                    const std::vector<Operand>& start,
                    Dims sizes,
                    SourceLoc loc = SourceLoc::current());
/// Returns x with the slice at `start` replaced by `update`. Like dynamic_slice, moves a slice that
/// would exceed the array.
Value dynamic_update_slice(Value x,
                           Value update,
                           const std::vector<Operand>& start,
                           SourceLoc loc = SourceLoc::current());
/// Like dynamic_slice and dynamic_update_slice, for a slice along one dimension. Both start at 0 in
/// all other dimensions, which dynamic_slice_in_dim() takes whole.
Value dynamic_slice_in_dim(Value x, std::int64_t dim, Operand start, std::int64_t size);
Value dynamic_update_slice_in_dim(Value x, Value update, std::int64_t dim, Operand start);

}  // namespace meshwright::graph
