// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/data/config/source_config.h"
#include "meshwright/data/survey/row_view.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {

enum class RowStyle {
  text,
  pieces,  // text with a bar between tokens
  ids,     // a line per token
  json,
};

/// Returns the text of tokens; see token_texts().
using TokenSpeller = std::function<std::vector<tokenizers::TokenText>(
    std::span<const std::int32_t> tokens, bool is_start)>;

/// Returns the speller of a run's data: its tokenizer, or the codec of generated data.
TokenSpeller token_speller(const data::SourceConfig& config, const data::RunData& run);

/// Prints rows of batches to stdout.
class RowPrinter {
 public:
  /// On a terminal, tokens without weight are dim; otherwise they are in [[brackets]].
  RowPrinter(TokenSpeller spell, RowStyle style, bool is_terminal)
      : spell_(std::move(spell)), style_(style), is_terminal_(is_terminal) {}

  void print(const data::RowView& row) const;
  /// Prints a line for each row, with the beginning of its text; in JSON, all of it.
  void list(const std::vector<data::RowView>& rows) const;

 private:
  void print_part(const data::ShownTokens& part) const;
  void print_text(const data::ShownTokens& part) const;
  void print_ids(const data::ShownTokens& part) const;

  TokenSpeller spell_;
  RowStyle style_;
  bool is_terminal_;
};

}  // namespace meshwright::cli
