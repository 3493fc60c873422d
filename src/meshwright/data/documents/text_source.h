// SPDX-License-Identifier: Apache-2.0
// Batches of a language model from rows of documents.
#pragma once

#include <optional>
#include <string>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/epoch_order.h"
#include "meshwright/data/documents/rows.h"

namespace meshwright::data {

/// The tokens that a token may attend to and be predicted from.
enum class Context {
  row,       // everything before it in the row
  document,  // those of its document; a document's first token is not predicted
};

struct TextSourceOptions {
  EpochOptions order;
  std::int64_t length = 0;  // of the inputs; rows of the plan have one token more
  Context context = Context::row;
  std::optional<std::int64_t> num_skipped_records = {};  // in the files of the documents
};

/// Batches as in lm_batch.h; `documents` and `rows` must belong together. With Context::document or
/// padded rows, batches have segments and positions.
SourcePtr text_source(DocumentsPtr documents, RowPlanPtr rows, TextSourceOptions options);

}  // namespace meshwright::data
