// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/end_tokens.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/encoding/chat_format.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;

// Returns nullopt if there is no such file.
std::optional<std::string> find_text(const io::FileSystem& folder, std::string_view name) {
  if (!io::is_file(folder, name)) return std::nullopt;
  return io::read_text(folder, name);
}

Id token_of(const JsonValue& value) {
  const std::int64_t token = value.as_integer();
  if (token < 0 || token > std::numeric_limits<Id>::max())
    fail(ErrorCode::data_loss, "eos_token_id: ", token, " is not a token");
  return static_cast<Id>(token);
}

void add_generation_config(const JsonValue& json, std::vector<Id>& tokens) {
  const JsonValue* ids = json.find("eos_token_id");
  if (ids == nullptr || ids->is_null()) return;
  if (!ids->is_array()) return add_end_token(token_of(*ids), tokens);
  for (const JsonValue& id : ids->as_array())
    add_end_token(token_of(id), tokens);
}

// Returns the templates of a tokenizer_config.json: one, or several with names.
std::string chat_templates(const JsonValue& json) {
  const JsonValue* found = json.find("chat_template");
  if (found == nullptr || found->is_null()) return "";
  if (!found->is_array()) return found->as_text();
  std::string out;
  for (const JsonValue& each : found->as_array())
    out += each.at("template").as_text();
  return out;
}

void add_ends_of_turns(std::string_view chat_template,
                       const tokenizers::Tokenizer& tokenizer,
                       std::vector<Id>& tokens) {
  for (const std::string_view marker : end_of_turn_markers())
    if (chat_template.find(marker) != chat_template.npos)
      if (const std::optional<Id> token = tokenizer.find(marker)) add_end_token(*token, tokens);
}

// Calls `read` with the parsed file, if there is one.
template <typename Function>
void with_json(const io::FileSystem& folder, const char* name, const Function& read) {
  const std::optional<std::string> text = find_text(folder, name);
  if (!text) return;
  try {
    const JsonValue json = parse_json(*text, "the file");
    if (!json.is_object()) fail(ErrorCode::data_loss, "the file is not a JSON object");
    read(json);
  } catch (const Error& error) {
    throw error.with_context(folder.full_name(name));
  }
}

}  // namespace

std::vector<Id> end_tokens_in(const io::FileSystem& folder,
                              const tokenizers::Tokenizer& tokenizer) {
  std::vector<Id> out;
  with_json(folder, kGenerationConfig,
            [&](const JsonValue& json) { add_generation_config(json, out); });
  with_json(folder, "tokenizer_config.json", [&](const JsonValue& json) {
    add_ends_of_turns(chat_templates(json), tokenizer, out);
  });
  if (const auto text = find_text(folder, "chat_template.jinja"))
    add_ends_of_turns(*text, tokenizer, out);
  return out;
}

void add_end_token(Id token, std::vector<Id>& tokens) {
  if (std::ranges::count(tokens, token) == 0) tokens.push_back(token);
}

std::string generation_config(const std::vector<Id>& end_tokens) {
  JsonWriter json;
  json.begin_object().key("eos_token_id").begin_array();
  for (const Id token : end_tokens)
    json.value(token);
  json.end_array().end_object();
  return json.str() + "\n";
}

}  // namespace meshwright::data
