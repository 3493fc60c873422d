// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/normalize/sentencepiece_normalizer.h"

namespace meshwright::tokenizers {

/// The content of a SentencePiece .model file, a ModelProto. Numbers and defaults are those of
/// sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Type { unigram = 1, bpe = 2, word = 3, character = 4 };
  struct Piece {
    enum class Type {
      normal = 1,
      unknown = 2,
      control = 3,
      user_defined = 4,
      unused = 5,
      byte = 6
    };
    std::string text;
    float score = 0;
    Type type = Type::normal;
  };

  std::vector<Piece> pieces;
  Type type = Type::unigram;
  bool byte_fallback = false;
  std::string unknown_piece = "<unk>", bos_piece = "<s>", eos_piece = "</s>", pad_piece = "<pad>";
  std::string unknown_surface = " \xe2\x81\x87 ";
  std::string normalizer_name;
  SentencePieceRules normalizer;
  SentencePieceRules denormalizer;  // used if it has a charsmap
};

/// Throws data_loss if the bytes are malformed, and unimplemented for a type of model or piece
/// that does not exist. `name` is the file's, for messages.
SentencePieceModel read_sentencepiece_model(std::string_view bytes, std::string_view name);

}  // namespace meshwright::tokenizers
