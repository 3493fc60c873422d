// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// The tokens of characters that the vocabulary does not contain.
struct UnknownRule {
  Id unknown = 0;
  bool fuse = true;            // adjacent unknown characters are one token
  std::vector<Id> bytes = {};  // byte fallback: the tokens of the 256 bytes; or empty
};

/// Appends tokens; knows whether the last one was unknown.
class TokenAppender {
 public:
  TokenAppender(const UnknownRule& rule, std::vector<Id>& ids) : rule_(rule), ids_(ids) {}

  void append(Id id) {
    ids_.push_back(id);
    after_unknown_ = false;
  }
  /// `text` is marked.
  void append_unknown(std::string_view text);
  /// Appends the tokens of a word, which may begin or end with unknown ones.
  void append_word(std::span<const Id> word) {
    if (word.empty()) return;
    const bool fused = after_unknown_ && word.front() == rule_.unknown;
    ids_.insert(ids_.end(), word.begin() + (fused ? 1 : 0), word.end());
    after_unknown_ = rule_.fuse && word.back() == rule_.unknown;
  }

 private:
  const UnknownRule& rule_;
  std::vector<Id>& ids_;
  bool after_unknown_ = false;  // and unknown ones are fused
};

}  // namespace meshwright::tokenizers
