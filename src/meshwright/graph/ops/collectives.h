// SPDX-License-Identifier: Apache-2.0
// Communication between the devices along mesh axes, inside manual regions. Mesh axes are given by
// name; several count as one, the first being the slowest. Names that do not exist or are not
// manual here throw invalid_argument.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: mesh::AxisSet, the mesh axes reduced over.
extern const OpDef kAllReduceSum, kAllReduceMax, kAllReduceMin;

struct CollectiveAttrs {
  std::vector<int> axes;        // positions in the mesh, the slowest first
  std::int64_t size = 1;        // of a group of devices
  std::int64_t dim = 0;         // gathered, scattered or split
  std::int64_t concat_dim = 0;  // of all_to_all
};
/// attrs: CollectiveAttrs.
extern const OpDef kAllGather, kAllGatherReplicated, kReduceScatter, kAllToAll;
/// attrs: CollectiveAttrs, of which axes and size count.
extern const OpDef kAxisIndex;

struct PermuteAttrs {
  std::vector<int> axes;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // from, to; positions along the axes
};
/// attrs: PermuteAttrs.
extern const OpDef kPermute;

inline constexpr std::array kCollectiveOps = {
    &kAllReduceSum,  &kAllReduceMax, &kAllReduceMin, &kAllGather, &kAllGatherReplicated,
    &kReduceScatter, &kAllToAll,     &kAxisIndex,    &kPermute};

using MeshAxes = std::vector<std::string>;

enum class Reduction { sum, max, min };
/// x reduced over the devices along `axes`; the result no longer varies over them. x must vary over
/// all of them: a sum of equal terms is a mistake. Only the sum has a gradient.
Value all_reduce(Value x,
                 const MeshAxes& axes,
                 Reduction reduction = Reduction::sum,
                 SourceLoc loc = SourceLoc::current());
/// The sum, with mesh axes by position.
Value all_reduce_sum(Value x, mesh::AxisSet axes, SourceLoc loc = SourceLoc::current());

/// The parts of all devices one after the other along `dim`. The result counts as varying, so that
/// its gradient is one reduce_scatter.
Value all_gather(Value x,
                 std::int64_t dim,
                 const MeshAxes& axes,
                 SourceLoc loc = SourceLoc::current());
/// As all_gather, but the result counts as equal on all devices and may leave the region as a
/// replicated output. Its gradient is this device's part of it.
Value all_gather_replicated(Value x,
                            std::int64_t dim,
                            const MeshAxes& axes,
                            SourceLoc loc = SourceLoc::current());
/// The sum over the devices, of which each keeps its part along `dim`. x must vary over `axes`.
Value reduce_scatter(Value x,
                     std::int64_t dim,
                     const MeshAxes& axes,
                     SourceLoc loc = SourceLoc::current());
/// Cuts x along `split_dim` into a part for each device, and puts the parts received one after the
/// other along `concat_dim`.
Value all_to_all(Value x,
                 std::int64_t split_dim,
                 std::int64_t concat_dim,
                 const MeshAxes& axes,
                 SourceLoc loc = SourceLoc::current());

/// Sends x from device to device, given as pairs (from, to) of positions along `axes`; who receives
/// nothing has zeros. Nobody may send or receive twice.
Value permute(Value x,
              const MeshAxes& axes,
              std::vector<std::pair<std::int64_t, std::int64_t>> pairs,
              SourceLoc loc = SourceLoc::current());
/// Sends x to the device `by` positions further along `axes`, around the end.
Value ring_shift(Value x,
                 const MeshAxes& axes,
                 std::int64_t by = 1,
                 SourceLoc loc = SourceLoc::current());

/// The position of this device along `axes`, as s32.
Value axis_index(const MeshAxes& axes, SourceLoc loc = SourceLoc::current());
/// The number of devices along `axes`.
std::int64_t axis_size(const MeshAxes& axes, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
