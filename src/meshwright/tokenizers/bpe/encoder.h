// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/bpe/parts.h"

namespace meshwright::tokenizers {

/// Encodes the words of one text.
class ByteBpe::Encoder final : public WordSink {
 public:
  /// `end` is the end of the text that the words are views of.
  Encoder(const Parts& parts, const char* end, BpeCache& cache, std::vector<Id>& ids)
      : parts_(parts), end_(end), cache_(cache), ids_(ids) {}

 private:
  void take(std::span<const std::string_view> words) override;
  void encode_rare(std::string_view word,
                   const WordKey& key,
                   std::uint64_t hash,
                   const BpeCache::Entry& entry);
  void append(std::span<const Id> ids);
  void empty_buffer();

  // Ids per word of a batch that the buffer has room for.
  static constexpr std::size_t kRoom = 16;

  const Parts& parts_;
  const char* end_;
  BpeCache& cache_;
  std::vector<Id>& ids_;
  std::array<Id, kBatch * kRoom> buffer_;
  Id* next_ = buffer_.data();
};

}  // namespace meshwright::tokenizers
