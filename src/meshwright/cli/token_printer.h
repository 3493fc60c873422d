// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::cli {

enum class TokenStyle {
  ids,     // a line of ids per text
  pieces,  // a line per token: ids, a tab, and the text that they stand for
  json,    // an object per text
};

/// Prints texts and their tokens to stdout.
class TokenPrinter {
 public:
  TokenPrinter(const tokenizers::Tokenizer& tokenizer, TokenStyle style)
      : tokenizer_(tokenizer), style_(style) {}

  void print(std::string_view text, std::span<const tokenizers::Id> ids);
  /// Logs the numbers of tokens and bytes so far.
  void log_totals() const;

 private:
  void print_pieces(std::span<const tokenizers::Id> ids) const;
  void print_json(std::string_view text, std::span<const tokenizers::Id> ids) const;

  const tokenizers::Tokenizer& tokenizer_;
  const TokenStyle style_;
  std::int64_t num_bytes_ = 0, num_tokens_ = 0;
};

}  // namespace meshwright::cli
