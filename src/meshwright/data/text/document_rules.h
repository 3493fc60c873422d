// SPDX-License-Identifier: Apache-2.0
// How the table [data] turns documents into rows.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/data/documents/rows.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The tokens around each document.
struct Frame {
  std::optional<std::int32_t> before = {}, after = {};
};

/// Throws invalid_argument if the config asks for a token that the tokenizer lacks.
Frame document_frame(const TextConfig& config, const tokenizers::Tokenizer& tokenizer);

/// Returns the documents to train on and those that are held out, which are null if none are.
/// Throws as hold_out(), and invalid_argument if there are no documents. The stores keep what takes
/// long to compute.
Split split_documents(const TextConfig& config,
                      DocumentsPtr documents,
                      const NumberStore& store = NumberStore());

/// Returns the rows for batches with `length` tokens per row.
RowPlanPtr row_plan(const TextConfig& config,
                    const DocumentsPtr& documents,
                    std::int64_t length,
                    std::int64_t seed,
                    const NumberStore& store = NumberStore());

}  // namespace meshwright::data
