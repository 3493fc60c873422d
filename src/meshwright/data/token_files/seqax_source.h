// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/seqax_order.h"

namespace meshwright::data {

struct SeqaxSourceOptions {
  SeqaxOrderOptions order;
  std::int64_t length = 0;
  /// If true, rows are consecutive parts of all tokens, otherwise one sequence each, cut off at
  /// `length`.
  bool packs_sequences = true;
  std::int64_t vocab_size = 0;
  std::string name = "seqax";
};

/// Batches as in lm_batch.h, with the tokens of seqax's loader as targets, row for row. A row's
/// inputs are its targets shifted by one, with token 0 before each sequence and before the row, and
/// positions count from the beginning of the row, as in seqax. Padding has weight 0. One pass.
SourcePtr seqax_source(std::shared_ptr<const FlatTokens> tokens, SeqaxSourceOptions options);

}  // namespace meshwright::data
