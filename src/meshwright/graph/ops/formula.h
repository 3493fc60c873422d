// SPDX-License-Identifier: Apache-2.0
// Operations on shards by formulas that name every dimension and the mesh axes that split it. Sizes
// are checked before and after, against the whole arrays. An "unreduced" result is a partial sum:
// it varies over the mesh axes that split the summed dimension, and the caller reduces it by
// reduce_scatter or all_reduce. Errors throw invalid_argument.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/mesh/shard_spec.h"

namespace meshwright::graph {

/// all_gather("batch/d len embed/t/d -> batch/d len embed/t", x): joins the parts along the mesh
/// axes that the right side lacks, which must be the last of their dimension.
Value all_gather(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// reduce_scatter("batch len -> batch/d/t len", x): the sum over the mesh axes that the right side
/// has in addition, of which each device keeps its part; they come last in their dimension.
Value reduce_scatter(mesh::ShardFormula formula, Value x, SourceLoc loc = SourceLoc::current());

/// einsum_unreduced("batch/d embed/t, embed/t hidden -> batch/d hidden", x, w): the product of the
/// parts, without communication. An axis is split alike wherever it appears.
Value einsum_unreduced(mesh::ShardFormula formula,
                       Value x,
                       Value y,
                       const DotOptions& options = {},
                       SourceLoc loc = SourceLoc::current());

/// index_unreduced("vocab/t embed/d, batch len -> batch len embed/d", table, ids): the entries of
/// the table along the one dimension that the result lacks, at these indices into the whole of it.
/// The part that holds an entry gives it, the others zeros; an index outside of the table gives
/// zeros everywhere. Axes that both inputs have go together one by one.
Value index_unreduced(mesh::ShardFormula formula,
                      Value table,
                      Value indices,
                      SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
