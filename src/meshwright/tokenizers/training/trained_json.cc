// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/trained_json.h"

#include "meshwright/base/json.h"
#include "meshwright/tokenizers/split/rule.h"

namespace meshwright::tokenizers {
namespace {

void write_added_tokens(const std::vector<std::string>& tokens, JsonWriter& json) {
  json.begin_array();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    json.begin_object().field("id", i).field("content", tokens[i]);
    json.field("single_word", false).field("lstrip", false).field("rstrip", false);
    json.field("normalized", false).field("special", true).end_object();
  }
  json.end_array();
}

void write_byte_level(bool add_prefix_space, bool use_regex, JsonWriter& json) {
  json.begin_object().field("type", "ByteLevel").field("add_prefix_space", add_prefix_space);
  json.field("trim_offsets", true).field("use_regex", use_regex).end_object();
}

void write_pre_tokenizer(const std::vector<std::string>& patterns, JsonWriter& json) {
  if (patterns.empty()) return write_byte_level(false, /*use_regex=*/false, json);
  if (patterns.size() == 1 && patterns.front() == kGpt2Pattern)
    return write_byte_level(false, /*use_regex=*/true, json);
  json.begin_object().field("type", "Sequence").key("pretokenizers").begin_array();
  for (const std::string& pattern : patterns) {
    json.begin_object().field("type", "Split");
    json.key("pattern").begin_object().field("Regex", pattern).end_object();
    json.field("behavior", "Isolated").field("invert", false).end_object();
  }
  write_byte_level(false, /*use_regex=*/false, json);
  json.end_array().end_object();
}

void write_model(const TrainedBpe& bpe, JsonWriter& json) {
  json.begin_object().field("type", "BPE").key("dropout").null().key("unk_token").null();
  json.key("continuing_subword_prefix").null().key("end_of_word_suffix").null();
  json.field("fuse_unk", false).field("byte_fallback", false).field("ignore_merges", false);
  json.key("vocab").begin_object();
  for (std::size_t id = 0; id < bpe.tokens.size(); ++id)
    json.field(bpe.tokens[id], id);
  json.end_object().key("merges").begin_array();
  const auto token = [&](Id id) {
    return std::string_view(bpe.tokens[static_cast<std::size_t>(id)]);
  };
  for (const auto& [left, right] : bpe.merges)
    json.begin_array().value(token(left)).value(token(right)).end_array();
  json.end_array().end_object();
}

}  // namespace

std::string trained_json(const TrainedBpe& bpe, const std::vector<std::string>& patterns) {
  JsonWriter json;
  json.begin_object().field("version", "1.0").key("truncation").null().key("padding").null();
  json.key("added_tokens");
  write_added_tokens(bpe.special_tokens, json);
  json.key("normalizer").null().key("pre_tokenizer");
  write_pre_tokenizer(patterns, json);
  json.key("post_processor").null().key("decoder");
  write_byte_level(true, /*use_regex=*/true, json);
  json.key("model");
  write_model(bpe, json);
  json.end_object();
  return json.str() + "\n";
}

}  // namespace meshwright::tokenizers
