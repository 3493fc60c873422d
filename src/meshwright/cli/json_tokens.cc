// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/json_tokens.h"

#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::cli {

std::string valid_text(std::string_view text) {
  std::string storage;
  return std::string(tokenizers::to_valid_utf8(text, storage));
}

void write_tokens(JsonWriter& json, std::span<const tokenizers::Id> ids) {
  json.key("tokens").begin_array();
  for (const tokenizers::Id id : ids)
    json.value(id);
  json.end_array();
}

void write_pieces(JsonWriter& json, const std::vector<tokenizers::TokenText>& pieces) {
  json.key("pieces").begin_array();
  for (const tokenizers::TokenText& piece : pieces) {
    json.begin_object().field("text", valid_text(piece.text));
    json.field("num_tokens", piece.end - piece.begin).field("special", piece.is_special);
    json.end_object();
  }
  json.end_array();
}

}  // namespace meshwright::cli
