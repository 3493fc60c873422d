// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/sentencepiece_decoder.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

using Type = SentencePieceVocab::Type;

void append_bytes(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const std::size_t length = valid_utf8_prefix(bytes);
    out += length == 0 ? "\xef\xbf\xbd" : bytes.substr(0, length);
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

SentencePieceDecoder::SentencePieceDecoder(const SentencePieceModel& model,
                                           const SentencePieceVocab& vocab)
    : vocab_(vocab),
      unknown_surface_(model.unknown_surface),
      strips_first_space_(model.normalizer.add_dummy_prefix ||
                          model.normalizer.remove_extra_whitespaces),
      strips_all_spaces_(model.normalizer.remove_extra_whitespaces) {
  if (!model.denormalizer.charsmap.empty()) denormalizer_.emplace(model.denormalizer);
}

std::string SentencePieceDecoder::decode(std::span<const Id> ids) const {
  std::string out, bytes;
  bool at_start = true, space_stripped = false;
  for (const Id id : ids) {
    MW_CHECK(id >= 0 && id < vocab_.size(), "decode: id ", id, " of a vocabulary of ",
             vocab_.size());
    if (vocab_.type(id) == Type::byte) {
      bytes += static_cast<char>(vocab_.byte(id));
      continue;
    }
    append_bytes(bytes, out);
    bytes.clear();
    at_start = at_start && !space_stripped && out.empty();
    space_stripped = append_piece(id, at_start, out);
  }
  append_bytes(bytes, out);
  if (!denormalizer_) return out;
  std::string normalized, text;
  denormalizer_->normalize(out, normalized);
  append_unmarked(normalized, kMarkUtf8, text);
  return text;
}

std::string SentencePieceDecoder::bytes(Id id, bool at_start) const {
  if (id < 0 || id >= vocab_.size() || vocab_.type(id) == Type::unknown) return "";
  if (vocab_.type(id) == Type::byte) return std::string(1, static_cast<char>(vocab_.byte(id)));
  std::string out;
  append_piece(id, at_start, out);
  return out;
}

// Returns whether a space was removed after which no more may be.
bool SentencePieceDecoder::append_piece(Id id, bool at_start, std::string& out) const {
  if (vocab_.type(id) == Type::control) return false;
  if (vocab_.type(id) == Type::unknown) {
    out += unknown_surface_;
    return false;
  }
  std::string_view piece = vocab_.text(id);
  const bool strips = at_start && strips_first_space_ && piece.starts_with(kMarkUtf8);
  if (strips) piece.remove_prefix(kMarkUtf8.size());
  append_unmarked(marked(piece), " ", out);
  return strips && !strips_all_spaces_;
}

}  // namespace meshwright::tokenizers
