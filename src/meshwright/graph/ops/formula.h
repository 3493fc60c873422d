// SPDX-License-Identifier: Apache-2.0
// Operations on shards, given by formulas that name each dimension and the mesh axes that split it.
// The sizes of operands and result are checked against the whole arrays. An "unreduced" result is a
// partial sum: it varies over the mesh axes that split the summed dimension, and the caller must
// reduce it by reduce_scatter or all_reduce. All functions throw invalid_argument on errors.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/mesh/shard_spec.h"

namespace meshwright::graph {

/// all_gather("batch/d len embed/t/d -> batch/d len embed/t", x): gathers over the mesh axes that
/// the right side lacks, which must be the last ones of their dimension.
Value all_gather(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// reduce_scatter("batch len -> batch/d/t len", x): sums over the mesh axes that the right side
/// adds, and leaves each device with its shard. Added axes must be the last ones of their
/// dimension.
Value reduce_scatter(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// einsum_unreduced("batch/d embed/t, embed/t hidden -> batch/d hidden", x, w): contracts the
/// shards, without communication. An axis must be split in the same way wherever it appears.
Value einsum_unreduced(mesh::ShardFormula formula,
                       Value x,
                       Value y,
                       const DotOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// index_unreduced("vocab/t embed/d, batch len -> batch len embed/d", table, ids): looks up entries
/// of the table along the one dimension that the result lacks. Indices refer to the whole
/// dimension: the device whose shard holds an entry returns it, the others return zeros. An index
/// outside the table yields zeros on all devices. Axes in both inputs are batch dimensions.
Value index_unreduced(mesh::ShardFormula formula,
                      Value table,
                      Value indices,
                      SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
