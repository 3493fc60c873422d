// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/unknown_rule.h"
#include "meshwright/tokenizers/formats/sentencepiece_proto.h"

namespace meshwright::tokenizers {

/// The pieces of a SentencePiece model by id and by text.
class SentencePieceVocab {
 public:
  /// Throws data_loss if the vocabulary is inconsistent: a piece that occurs twice, no unknown
  /// piece or two, byte pieces that are missing or not expected.
  explicit SentencePieceVocab(const SentencePieceModel& model);

  using Type = SentencePieceModel::Piece::Type;
  Id size() const { return static_cast<Id>(pieces_.size()); }
  const std::string& text(Id id) const { return pieces_[static_cast<std::size_t>(id)].text; }
  Type type(Id id) const { return pieces_[static_cast<std::size_t>(id)].type; }
  /// Returns the id of the unknown piece; -1 if there is none, which byte fallback allows.
  Id unknown() const { return unknown_; }
  /// True if pieces of this type are found in text.
  static bool is_in_text(Type type) {
    return type == Type::normal || type == Type::user_defined || type == Type::unused;
  }

  std::optional<Id> find(std::string_view piece) const;
  /// Returns the byte that a byte piece stands for.
  unsigned char byte(Id id) const;

  /// Returns the special tokens that the model defines.
  SpecialTokens special_tokens(const SentencePieceModel& model) const;
  UnknownRule unknown_rule() const;

 private:
  using Ids = std::unordered_map<std::string_view, Id>;
  void add(Id id);
  void check_bytes(bool byte_fallback) const;

  std::vector<SentencePieceModel::Piece> pieces_;
  Ids in_text_, reserved_;
  Id unknown_ = -1;
  bool byte_fallback_ = false;
};

}  // namespace meshwright::tokenizers
