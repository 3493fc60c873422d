// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece_vocab.h"

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

std::string byte_piece(std::size_t byte) {
  return {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 15], '>'};
}

bool is_byte_piece(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece[5] == '>' &&
         kHex.find(piece[3]) != kHex.npos && kHex.find(piece[4]) != kHex.npos;
}

}  // namespace

SentencePieceVocab::SentencePieceVocab(const SentencePieceModel& model)
    : pieces_(model.pieces), byte_fallback_(model.byte_fallback) {
  for (Id id = 0; id < size(); ++id)
    add(id);
  if (unknown_ < 0 && !byte_fallback_) fail(ErrorCode::data_loss, "it has no unknown piece");
  check_bytes(model.byte_fallback);
}

void SentencePieceVocab::add(Id id) {
  // Longer pieces are refused by the library, too.
  constexpr std::size_t kMaxBytes = 8000;
  if (text(id).size() >= kMaxBytes)
    fail(ErrorCode::data_loss, "piece ", id, " has ", text(id).size(), " bytes");
  Ids& ids = is_in_text(type(id)) ? in_text_ : reserved_;
  if (!ids.emplace(text(id), id).second)
    fail(ErrorCode::data_loss, "piece ", id, " '", text(id), "' occurs twice");
  if (type(id) != Type::unknown) return;
  if (unknown_ >= 0)
    fail(ErrorCode::data_loss, "pieces ", unknown_, " and ", id, " are both the unknown piece");
  unknown_ = id;
}

void SentencePieceVocab::check_bytes(bool byte_fallback) const {
  std::size_t count = 0;
  for (Id id = 0; id < size(); ++id) {
    if (type(id) != Type::byte) continue;
    ++count;
    if (!byte_fallback || !is_byte_piece(text(id)))
      fail(ErrorCode::data_loss, "piece ", id, " '", text(id), "' is a byte piece, but ",
           byte_fallback ? "names no byte" : "the model has no byte fallback");
  }
  if (byte_fallback && count != 256)
    fail(ErrorCode::data_loss, "it has ", count, " of 256 byte pieces");
}

std::optional<Id> SentencePieceVocab::find(std::string_view piece) const {
  for (const Ids* ids : {&reserved_, &in_text_}) {
    const auto found = ids->find(piece);
    if (found != ids->end()) return found->second;
  }
  return std::nullopt;
}

unsigned char SentencePieceVocab::byte(Id id) const {
  const std::string& piece = text(id);
  return static_cast<unsigned char>(kHex.find(piece[3]) << 4 | kHex.find(piece[4]));
}

SpecialTokens SentencePieceVocab::special_tokens(const SentencePieceModel& model) const {
  const auto control = [&](std::string_view piece) {
    std::optional<Id> id = find(piece);
    return id && type(*id) == Type::control ? id : std::nullopt;
  };
  return {.bos = control(model.bos_piece),
          .eos = control(model.eos_piece),
          .pad = control(model.pad_piece),
          .unknown = unknown_ < 0 ? std::nullopt : std::optional<Id>(unknown_)};
}

UnknownRule SentencePieceVocab::unknown_rule() const {
  UnknownRule rule{.unknown = unknown_};
  for (std::size_t byte = 0; byte < 256 && byte_fallback_; ++byte)
    rule.bytes.push_back(find(byte_piece(byte)).value_or(unknown_));
  return rule;
}

}  // namespace meshwright::tokenizers
