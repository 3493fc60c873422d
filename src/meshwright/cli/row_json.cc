// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/row_json.h"

#include "meshwright/base/json.h"
#include "meshwright/cli/json_tokens.h"

namespace meshwright::cli {
namespace {

void write_origin(JsonWriter& json, const data::Origin& origin) {
  json.field("file", valid_text(origin.file))
      .field("record", origin.record)
      .field("offset", origin.offset)
      .field("token", origin.token);
}

void write_part(JsonWriter& json, const data::ShownTokens& part, const TokenSpeller& spell) {
  json.begin_object();
  if (!part.array.empty()) json.field("array", part.array);
  if (part.origin) write_origin(json, *part.origin);
  json.field("begin", part.begin).field("segment", part.segment);
  write_tokens(json, part.tokens);
  json.key("learnt").begin_array();
  for (const bool is_learnt : part.learnt)
    json.value(is_learnt);
  json.end_array();
  const std::vector<tokenizers::TokenText> pieces = spell(part.tokens, part.is_start());
  std::string text;
  for (const tokenizers::TokenText& piece : pieces)
    text += piece.text;
  json.field("text", valid_text(text));
  write_pieces(json, pieces);
  json.end_object();
}

void write_array(JsonWriter& json, const data::ShownArray& array) {
  json.begin_object().field("name", array.name).field("dtype", to_string(array.type.dtype));
  json.key("shape").begin_array();
  for (const std::int64_t size : array.type.dims)
    json.value(size);
  json.end_array().key("values").begin_array();
  for (const double value : array.values)
    is_integer(array.type.dtype) ? json.value(static_cast<std::int64_t>(value)) : json.value(value);
  json.end_array().end_object();
}

}  // namespace

std::string row_json(const data::RowView& row, const TokenSpeller& spell) {
  JsonWriter json;
  json.begin_object().field("step", row.step).field("row", row.row);
  if (!row.part_of_mixture.empty()) json.field("part", row.part_of_mixture);
  json.field("padding", row.num_padding).key("parts").begin_array();
  for (const data::ShownTokens& part : row.parts)
    write_part(json, part, spell);
  json.end_array().key("arrays").begin_array();
  for (const data::ShownArray& array : row.arrays)
    write_array(json, array);
  return json.end_array().end_object().str();
}

}  // namespace meshwright::cli
