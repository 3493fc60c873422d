// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/formats/sentencepiece_proto.h"
#include "meshwright/tokenizers/formats/sentencepiece_vocab.h"
#include "meshwright/tokenizers/normalize/sentencepiece_normalizer.h"

namespace meshwright::tokenizers {

/// Makes text of ids as SentencePiece does: removes the space that the normalizer put at the
/// beginning, puts U+FFFD for bytes that form no character, and nothing for control pieces.
class SentencePieceDecoder {
 public:
  /// `vocab` must outlive this.
  SentencePieceDecoder(const SentencePieceModel& model, const SentencePieceVocab& vocab);

  /// Throws invalid_argument for an id that is out of range.
  std::string decode(std::span<const Id> ids) const;
  /// True if a denormalizer may give the end of a text another text when more follows.
  bool changes_end() const { return denormalizer_.has_value(); }
  /// See Tokenizer::bytes(). Bytes are those of normalized text.
  std::string bytes(Id id, bool at_start) const;

 private:
  bool append_piece(Id id, bool at_start, std::string& out) const;

  const SentencePieceVocab& vocab_;
  std::string unknown_surface_;
  bool strips_first_space_, strips_all_spaces_;
  std::optional<SentencePieceNormalizer> denormalizer_;
};

}  // namespace meshwright::tokenizers
