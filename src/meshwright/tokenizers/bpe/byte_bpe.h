// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: a word starts as the tokens of its bytes, and neighbours are merged, always those
// whose merge has the lowest rank, the leftmost first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/split/splitter.h"

namespace meshwright::tokenizers {

/// A model as a tokenizer.json has it. Tokens are bytes, not their spelling in the file.
struct BpeModel {
  /// By id. An id that is not a token of the model is empty. Where two tokens have the same bytes,
  /// the lower id counts.
  std::vector<std::string> tokens;
  /// The pairs that merge, by rank; if a pair occurs twice, the later rank counts.
  std::vector<std::pair<std::string_view, std::string_view>> merges = {};
  /// True if a word that is a token is encoded as it even if its merges do not lead there.
  bool ignore_merges = false;
  /// Follows the last byte of a word in its token, such as "</w>".
  std::string end_of_word_suffix = {};
};

/// Encodes words. Thread-safe: threads lend caches of up to 12 MiB, of which 16 at most are kept.
class ByteBpe {
 public:
  /// A byte that is not a token is dropped. Throws invalid_argument if a merge refers to a token
  /// that does not exist.
  explicit ByteBpe(const BpeModel& model);
  /// Makes a model as in a tiktoken file: the rank of a merge is that of the token it gives, and a
  /// word that is a token is encoded as it. `tokens` are by rank, which is their id. Throws
  /// invalid_argument if a byte is not a token.
  static ByteBpe from_ranks(std::span<const std::string> tokens);

  ByteBpe(ByteBpe&&) noexcept;
  ByteBpe& operator=(ByteBpe&&) noexcept;
  ~ByteBpe();

  /// Appends the tokens of the words of a text, in which U+FFFD stands for what is not valid UTF-8.
  void encode(const Splitter& splitter, std::string_view text, std::vector<Id>& ids) const;
  /// Appends the tokens of one word.
  void encode_word(std::string_view word, std::vector<Id>& ids) const;

  /// Returns the size of the id space.
  std::int64_t size() const;
  /// Returns the bytes of a token; empty for an unused id. The id must be in range.
  std::string_view bytes(Id id) const;
  /// Returns the id of the token with these bytes; -1 if there is none.
  Id find(std::string_view token) const;

 private:
  struct Parts;
  class Encoder;

  explicit ByteBpe(std::unique_ptr<const Parts> parts);

  std::unique_ptr<const Parts> parts_;
};

}  // namespace meshwright::tokenizers
