// SPDX-License-Identifier: Apache-2.0
// Collectives: communication along mesh axes inside manual regions. Mesh axes are given by name;
// several act as a single axis, with the first varying slowest. Functions throw invalid_argument
// for a mesh axis that does not exist or is not manual here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: mesh::AxisSet, the mesh axes to reduce over.
extern const OpDef kAllReduceSum, kAllReduceMax, kAllReduceMin;

struct CollectiveAttrs {
  std::vector<int> axes;        // positions in the mesh, slowest first
  std::int64_t size = 1;        // devices per group
  std::int64_t dim = 0;         // the dimension gathered, scattered or split
  std::int64_t concat_dim = 0;  // all_to_all only
};
/// attrs: CollectiveAttrs.
extern const OpDef kAllGather, kAllGatherReplicated, kReduceScatter, kAllToAll;
/// attrs: CollectiveAttrs; only `axes` is used.
extern const OpDef kAxisIndex;

struct PermuteAttrs {
  std::vector<int> axes;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // (from, to), positions along `axes`
};
/// attrs: PermuteAttrs.
extern const OpDef kPermute;

inline constexpr std::array kCollectiveOps = {
    &kAllReduceSum,  &kAllReduceMax, &kAllReduceMin, &kAllGather, &kAllGatherReplicated,
    &kReduceScatter, &kAllToAll,     &kAxisIndex,    &kPermute};

using MeshAxes = std::vector<std::string>;

enum class Reduction { sum, max, min };
/// Reduces x over the devices along `axes`; the result no longer varies over them. Throws
/// invalid_argument unless x varies over all of them, because summing equal terms is a mistake.
/// Only the sum has a gradient.
Value all_reduce(Value x,
                 const MeshAxes& axes,
                 Reduction reduction = Reduction::sum,
                 SourceLoc loc = SourceLoc::current());
/// Sums over mesh axes given by position.
Value all_reduce_sum(Value x, mesh::AxisSet axes, SourceLoc loc = SourceLoc::current());

/// Concatenates the shards of all devices along `dim`. The result is marked as varying, so its
/// gradient is a single reduce_scatter.
Value all_gather(Value x,
                 std::int64_t dim,
                 const MeshAxes& axes,
                 SourceLoc loc = SourceLoc::current());
/// Like all_gather, but the result no longer varies over `axes` and may be a replicated output of
/// the region. The gradient is this device's slice of the cotangent.
Value all_gather_replicated(Value x,
                            std::int64_t dim,
                            const MeshAxes& axes,
                            SourceLoc loc = SourceLoc::current());
/// Sums x over the devices and leaves each with its shard of the sum along `dim`. x must vary over
/// `axes`.
Value reduce_scatter(Value x,
                     std::int64_t dim,
                     const MeshAxes& axes,
                     SourceLoc loc = SourceLoc::current());
/// Splits x along `split_dim` into one part per device, exchanges the parts, and concatenates the
/// received parts along `concat_dim`.
Value all_to_all(Value x,
                 std::int64_t split_dim,
                 std::int64_t concat_dim,
                 const MeshAxes& axes,
                 SourceLoc loc = SourceLoc::current());

/// Sends x between devices, which are given as pairs (from, to) of positions along `axes`. A device
/// to which nothing is sent gets zeros. No device may send twice or receive twice.
Value permute(Value x,
              const MeshAxes& axes,
              std::vector<std::pair<std::int64_t, std::int64_t>> pairs,
              SourceLoc loc = SourceLoc::current());
/// Sends x to the device `by` positions further along `axes`, wrapping around.
Value ring_shift(Value x,
                 const MeshAxes& axes,
                 std::int64_t by = 1,
                 SourceLoc loc = SourceLoc::current());

/// Returns the position of this device along `axes` as an s32 scalar.
Value axis_index(const MeshAxes& axes, SourceLoc loc = SourceLoc::current());
/// Returns the number of devices along `axes`.
std::int64_t axis_size(const MeshAxes& axes, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
