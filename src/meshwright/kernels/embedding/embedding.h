// SPDX-License-Identifier: Apache-2.0
// Axes: batch len (positions), vocab, embed.
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// Returns the table row of each id in dtype `out`, along a new last axis. table: [vocab, embed].
/// ids: integers; ids in [-vocab, 0) count from the end of the table, and ids out of range give
/// NaN. The kernel supports f32 and bf16 and accumulates the table's gradient in f32.
graph::Value embedding(graph::Value table,
                       graph::Value ids,
                       DType out,
                       SourceLoc loc = SourceLoc::current());

struct EmbeddingAttrs {
  ArrayType table;
  DType out;
};
/// Operands: table (f32 or bf16), ids (s32). attrs: EmbeddingAttrs.
extern const graph::OpDef kEmbedding;
/// Operands: ids, the gradient of the result. attrs: EmbeddingAttrs. Result: the table's gradient.
extern const graph::OpDef kEmbeddingGradient;

}  // namespace meshwright::kernels
