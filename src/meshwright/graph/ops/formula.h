// SPDX-License-Identifier: Apache-2.0
// Operations on shards, given by formulas that name each dimension and the mesh axes that split it.
// The sizes of the operands and the result are checked against the whole arrays. An "unreduced"
// result is a partial sum: it varies over the mesh axes that split the summed dimension, and the
// caller must reduce it with reduce_scatter or all_reduce. All functions throw invalid_argument on
// errors.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/mesh/shard_spec.h"

namespace meshwright::graph {

/// Gathers over the mesh axes that the right side lacks, which must be the last ones of their
/// dimension, as in all_gather("batch/d len embed/t/d -> batch/d len embed/t", x).
Value all_gather(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// Sums over the mesh axes that the right side adds, and leaves each device with its shard, as in
/// reduce_scatter("batch len -> batch/d/t len", x). Added axes must be the last ones of their
/// dimension.
Value reduce_scatter(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// Contracts the shards without communication, as in einsum_unreduced("batch/d embed/t, embed/t
/// hidden -> batch/d hidden", x, w). An axis must be split in the same way wherever it appears.
Value einsum_unreduced(mesh::ShardFormula formula,
                       Value x,
                       Value y,
                       const DotOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// Looks up entries of the table along the one dimension that the result lacks, as in
/// index_unreduced("vocab/t embed/d, batch len -> batch len embed/d", table, ids). Indices refer to
/// the whole dimension: the device whose shard holds an entry returns the entry, and the others
/// return zeros. An index outside the table yields zeros on all devices. Axes in both inputs are
/// batch dimensions.
Value index_unreduced(mesh::ShardFormula formula,
                      Value table,
                      Value indices,
                      SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
