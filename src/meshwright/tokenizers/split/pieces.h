// SPDX-License-Identifier: Apache-2.0
// Internal to split/.
#pragma once

#include <string_view>

#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// Joins matches and gaps into words.
class Pieces {
 public:
  Pieces(SplitBehavior behavior, WordSink& words) : behavior_(behavior), words_(words) {}
  ~Pieces() = default;

  void add(std::string_view piece, bool is_match) {
    if (piece.empty()) return;
    switch (behavior_) {
      case SplitBehavior::isolated:
        return words_.push(piece);
      case SplitBehavior::removed:
        if (!is_match) words_.push(piece);
        return;
      case SplitBehavior::contiguous:
        join(piece, is_match == last_is_match_);
        break;
      case SplitBehavior::merged_with_previous:
        join(piece, is_match && !last_is_match_);
        break;
      case SplitBehavior::merged_with_next:
        join(piece, !is_match && last_is_match_);
        break;
    }
    last_is_match_ = is_match;
  }
  void finish() {
    if (!pending_.empty()) words_.push(pending_);
    pending_ = {};
  }

 private:
  void join(std::string_view piece, bool with_pending) {
    if (with_pending && !pending_.empty()) {
      pending_ = {pending_.data(), pending_.size() + piece.size()};
      return;
    }
    finish();
    pending_ = piece;
  }

  SplitBehavior behavior_;
  WordSink& words_;
  std::string_view pending_;
  bool last_is_match_ = false;
};

}  // namespace meshwright::tokenizers
