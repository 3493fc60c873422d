// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece_proto.h"

#include <bit>
#include <cmath>

#include "meshwright/base/error.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

using Piece = SentencePieceModel::Piece;

Piece read_piece(std::string_view message, std::size_t index) {
  Piece piece;
  for (const ProtoField& field : read_proto(message)) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == 3) {
      if (field.value < 1 || field.value > 6)
        fail(ErrorCode::unimplemented, "piece ", index, " has type ", field.int64());
      piece.type = static_cast<Piece::Type>(field.value);
    }
  }
  if (piece.text.empty()) fail(ErrorCode::data_loss, "piece ", index, " is empty");
  if (!is_valid_utf8(piece.text))
    fail(ErrorCode::data_loss, "piece ", index, " is not valid UTF-8");
  if (!std::isfinite(piece.score))
    fail(ErrorCode::data_loss, "piece ", index, " has score ", piece.score);
  return piece;
}

// An empty name of a special piece stands for the default.
void set_unless_empty(std::string& name, std::string_view value) {
  if (!value.empty()) name = value;
}

void read_trainer_spec(std::string_view message, SentencePieceModel& model) {
  for (const ProtoField& field : read_proto(message)) {
    switch (field.number) {
      case 3:
        if (field.value < 1 || field.value > 4)
          fail(ErrorCode::unimplemented, "the type of the model is ", field.int64());
        model.type = static_cast<SentencePieceModel::Type>(field.value);
        break;
      case 24:
        model.normalizer.space_is_suffix = field.value != 0;
        break;
      case 35:
        model.byte_fallback = field.value != 0;
        break;
      case 44:
        model.unknown_surface = field.bytes;
        break;
      case 45:
        set_unless_empty(model.unknown_piece, field.bytes);
        break;
      case 46:
        set_unless_empty(model.bos_piece, field.bytes);
        break;
      case 47:
        set_unless_empty(model.eos_piece, field.bytes);
        break;
      case 48:
        set_unless_empty(model.pad_piece, field.bytes);
        break;
      default:
        break;
    }
  }
}

void read_normalizer_spec(std::string_view message, std::string* name, SentencePieceRules& rules) {
  for (const ProtoField& field : read_proto(message)) {
    if (field.number == 1 && name != nullptr) *name = field.bytes;
    if (field.number == 2) rules.charsmap = field.bytes;
    if (field.number == 3) rules.add_dummy_prefix = field.value != 0;
    if (field.number == 4) rules.remove_extra_whitespaces = field.value != 0;
    if (field.number == 5) rules.escape_whitespaces = field.value != 0;
  }
}

SentencePieceModel read_model(std::string_view bytes) {
  SentencePieceModel model;
  for (const ProtoField& field : read_proto(bytes)) {
    if (field.number == 1) model.pieces.push_back(read_piece(field.bytes, model.pieces.size()));
    if (field.number == 2) read_trainer_spec(field.bytes, model);
    if (field.number == 3)
      read_normalizer_spec(field.bytes, &model.normalizer_name, model.normalizer);
    if (field.number == 5) read_normalizer_spec(field.bytes, nullptr, model.denormalizer);
  }
  if (model.pieces.empty()) fail(ErrorCode::data_loss, "it has no pieces");
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    Piece& piece = model.pieces[i];
    // Some converters write a NUL beside the piece of byte 0.
    if (model.byte_fallback && piece.text == std::string_view("\0", 1))
      piece.type = Piece::Type::unused;
    else if (piece.text.find('\0') != piece.text.npos)
      fail(ErrorCode::data_loss, "piece ", i, " contains a NUL");
    if (piece.type == Piece::Type::user_defined) model.normalizer.kept.push_back(piece.text);
  }
  return model;
}

}  // namespace

SentencePieceModel read_sentencepiece_model(std::string_view bytes, std::string_view name) {
  try {
    return read_model(bytes);
  } catch (const Error& error) {
    throw error.with_context(str("SentencePiece model ", name));
  }
}

}  // namespace meshwright::tokenizers
