// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/word_key.h"

namespace meshwright::tokenizers {

inline constexpr Id kNoId = -1;

/// The bytes of the tokens of a vocabulary, and their ids by their bytes.
class TokenIndex {
 public:
  /// `tokens` are by id; an id without a token has no bytes. Where two tokens have the same bytes,
  /// the lower id is found.
  explicit TokenIndex(std::span<const std::string> tokens);

  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::string_view bytes(Id id) const {
    const auto at = static_cast<std::size_t>(id);
    return {bytes_.data() + offsets_[at], offsets_[at + 1] - offsets_[at]};
  }
  std::size_t length(Id id) const { return bytes(id).size(); }
  std::size_t longest() const { return longest_; }

  /// Returns the id of the token with these bytes; kNoId if there is none. `key` is that of
  /// `token`.
  Id find(std::string_view token, const WordKey& key) const {
    const std::uint64_t hash = key.hash();
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::uint64_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.id == kNoId) return kNoId;
      if (slot.tag == tag && bytes(slot.id) == token) return slot.id;
    }
  }
  /// Returns where find() will look first for a token with this hash.
  const void* slot(std::uint64_t hash) const { return &slots_[hash >> shift_]; }
  Id find(std::string_view token) const { return find(token, key_of(token)); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // of the hash
    Id id = kNoId;
  };

  std::string bytes_;
  std::vector<std::uint32_t> offsets_ = {0};
  std::vector<Slot> slots_;  // a power of two, at most half full
  int shift_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace meshwright::tokenizers
