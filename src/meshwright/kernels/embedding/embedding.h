// SPDX-License-Identifier: Apache-2.0
// Axes: batch len (places), vocab (words), embed.
#pragma once

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// The vectors of these words in `out`, as a new last axis. table: vocab embed; ids: integers,
/// where one in [-vocab, 0) counts from the end, and one out of range gives NaN. On CPUs a
/// call in f32 and bf16, whose gradient of the table is added up in f32.
graph::Value embedding(graph::Value table,
                       graph::Value ids,
                       DType out,
                       SourceLoc loc = SourceLoc::current());

struct EmbeddingAttrs {
  ArrayType table;
  DType out;
};
/// attrs: EmbeddingAttrs. table (f32 or bf16), ids (s32).
extern const graph::OpDef kEmbedding;
/// attrs: EmbeddingAttrs. ids, what is given for each of them; the result is like the table.
extern const graph::OpDef kEmbeddingGradient;

}  // namespace meshwright::kernels
