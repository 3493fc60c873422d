// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/json_tokenizer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

void check_first_scheme(const std::vector<NormalizerPtr>& normalizers,
                        const std::vector<PreTokenizerStep>& steps) {
  const bool needs_start = std::ranges::any_of(steps, [](const PreTokenizerStep& step) {
    return step.kind == PreTokenizerStep::Kind::metaspace && step.scheme == PrependScheme::first;
  });
  const bool keeps_start =
      std::ranges::all_of(normalizers, [](const auto& each) { return each->keeps_start(); });
  if (needs_start && !keeps_start)
    fail(ErrorCode::unimplemented,
         "pre_tokenizer 'Metaspace' with prepend_scheme 'first' is not supported after a "
         "normalizer that may remove the start of the text");
}

AddedToken read_added_token(const JsonValue& json) {
  AddedToken token;
  token.content = json.at("content").as_text();
  token.single_word = json.at("single_word").as_bool();
  token.lstrip = json.at("lstrip").as_bool();
  token.rstrip = json.at("rstrip").as_bool();
  token.normalized = json.at("normalized").as_bool();
  token.special = json.at("special").as_bool();
  return token;
}

template <std::size_t n>
std::optional<Id> first_special(const std::vector<AddedToken>& added,
                                const std::array<std::string_view, n>& names) {
  for (const std::string_view name : names)
    for (const AddedToken& token : added)
      if (token.special && token.content == name) return token.id;
  return std::nullopt;
}

}  // namespace

JsonTokenizer::JsonTokenizer(std::string text, const JsonValue& json)
    : text_(std::move(text)), normalizers_(read_normalizers(json.find("normalizer"))) {
  if (const JsonValue* version = json.find("version"); version != nullptr) {
    if (version->as_text() != "1.0")
      fail(ErrorCode::unimplemented, "version '", version->as_text(), "' is not supported");
  }
  std::vector<PreTokenizerStep> steps = read_pre_tokenizer(json.find("pre_tokenizer"));
  check_first_scheme(normalizers_, steps);
  model_ = read_model(json.at("model"), std::move(steps));
  decoder_ = read_decoder(json.find("decoder"));
  template_ = read_post_processor(json.find("post_processor"));
  if (const JsonValue* added = json.find("added_tokens"); added != nullptr && !added->is_null())
    read_added_tokens(*added);
  finder_ = AddedTokenFinder(added_, false);
  normalized_finder_ = AddedTokenFinder(added_, true);
  set_decoded();
  set_roles();
}

std::string JsonTokenizer::normalized(std::string_view text) const {
  std::string out(text), next;
  for (const NormalizerPtr& normalizer : normalizers_) {
    normalizer->normalize(out, next);
    out.swap(next);
  }
  return out;
}

// The ids in the file are not used: `tokenizers` gives tokens the id that the model has for them,
// or the next one.
void JsonTokenizer::read_added_tokens(const JsonValue& json) {
  Id next_id = static_cast<Id>(model_.vocabulary.size());
  for (const JsonValue& each : json.as_array())
    add(read_added_token(each), next_id);
}

void JsonTokenizer::add(AddedToken token, Id& next_id) {
  if (token.content.empty()) return;
  const std::optional<Id> known = find(token.content);
  token.id = known.has_value() ? *known : next_id++;
  token.normalized_content = token.normalized ? normalized(token.content) : token.content;
  added_ids_[token.content] = token.id;
  // A token with the id of an earlier one replaces it.
  const auto same = std::ranges::find(added_, token.id, &AddedToken::id);
  if (same == added_.end())
    added_.push_back(std::move(token));
  else
    *same = std::move(token);
}

void JsonTokenizer::set_decoded() {
  Id end = model_.vocabulary.end();
  for (const AddedToken& token : added_)
    end = std::max(end, token.id + 1);
  for (const Id id : template_.prefix)
    end = std::max(end, id + 1);
  for (const Id id : template_.suffix)
    end = std::max(end, id + 1);
  if (end > (Id{1} << 25)) fail(ErrorCode::data_loss, "the token id ", end - 1, " is out of range");
  decoded_.resize(static_cast<std::size_t>(end));
  for (std::size_t i = 0; i < model_.vocabulary.tokens().size(); ++i)
    decoded_[i].text = model_.vocabulary.tokens()[i];
  for (const AddedToken& token : added_)
    decoded_[static_cast<std::size_t>(token.id)].text = token.normalized_content;
  std::unordered_set<std::string_view> specials;
  for (const AddedToken& token : added_)
    if (token.special) specials.insert(token.content);
  for (Decoded& each : decoded_)
    each.skipped = each.text.empty() || specials.contains(each.text);
}

// A tokenizer.json does not say which special tokens have a role. The template and customary names
// tell.
void JsonTokenizer::set_roles() {
  static constexpr std::array<std::string_view, 7> kBos = {
      "<s>",
      "<bos>",
      "<|begin_of_text|>",
      "<|startoftext|>",
      "[CLS]",
      "<|bos|>",
      "<\xef\xbd\x9c"
      "begin\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>"};
  static constexpr std::array<std::string_view, 8> kEos = {
      "<|endoftext|>",
      "<|end_of_text|>",
      "</s>",
      "<eos>",
      "<EOT>",
      "[SEP]",
      "<|eos|>",
      "<\xef\xbd\x9c"
      "end\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>"};
  static constexpr std::array<std::string_view, 4> kPad = {"<pad>", "[PAD]", "<|pad|>", "<PAD>"};
  roles_.unknown = model_.unknown;
  roles_.bos = first_special(added_, kBos);
  roles_.eos = first_special(added_, kEos);
  roles_.pad = first_special(added_, kPad);
  if (!template_.prefix.empty()) roles_.bos = template_.prefix.front();
  if (!template_.suffix.empty()) roles_.eos = template_.suffix.back();
}

std::string JsonTokenizer::description() const {
  return str(model_.name, " with ", vocab_size(), " tokens");
}

void JsonTokenizer::encode(std::string_view text, std::vector<Id>& ids, SpecialText special) const {
  std::string storage;
  const std::string_view valid = to_valid_utf8(text, storage);
  std::vector<TextPart> parts;
  finder_.split(valid, special, parts);
  for (const TextPart& part : parts) {
    if (part.token != nullptr)
      ids.push_back(part.token->id);
    else
      encode_text(part.text, part.text.data() == valid.data(), special, ids);
  }
}

// Encodes text between added tokens that are not normalized.
void JsonTokenizer::encode_text(std::string_view text,
                                bool at_start,
                                SpecialText special,
                                std::vector<Id>& ids) const {
  std::string storage;
  if (!normalizers_.empty()) {
    storage = normalized(text);
    text = storage;
  }
  std::vector<TextPart> parts;
  normalized_finder_.split(text, special, parts);
  for (const TextPart& part : parts) {
    if (part.token != nullptr)
      ids.push_back(part.token->id);
    else
      model_.encoder->encode(part.text, at_start && part.text.data() == text.data(), ids);
  }
}

std::string JsonTokenizer::decode(std::span<const Id> ids) const {
  std::vector<std::string> tokens;
  for (const Id id : ids) {
    if (id < 0 || id >= vocab_size())
      fail(ErrorCode::invalid_argument, "the token id ", id, " is out of range: there are ",
           vocab_size(), " tokens");
    const Decoded& decoded = decoded_[static_cast<std::size_t>(id)];
    if (!decoded.skipped) tokens.push_back(decoded.text);
  }
  return joined(std::move(tokens));
}

// Returns the text of these tokens.
std::string JsonTokenizer::joined(std::vector<std::string> tokens) const {
  if (decoder_)
    for (const DecoderStep& step : *decoder_)
      apply(step, tokens);
  std::string out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!decoder_ && i != 0) out += ' ';
    out += tokens[i];
  }
  return out;
}

std::size_t JsonTokenizer::num_settled(std::span<const Id> ids) const {
  if (!decoder_) return ids.size();
  if (changes_end(*decoder_)) return 0;
  // Adjacent byte tokens have one text: that of their bytes together.
  const auto may_be_in_bytes = [&](Id id) {
    const Decoded& decoded = decoded_[static_cast<std::size_t>(id)];
    return decoded.skipped || is_byte_token(*decoder_, decoded.text);
  };
  while (!ids.empty() && may_be_in_bytes(ids.back()))
    ids = ids.first(ids.size() - 1);
  return Tokenizer::num_settled(ids);
}

std::string JsonTokenizer::bytes(Id id, bool at_start) const {
  if (id < 0 || id >= vocab_size() || id == model_.unknown) return "";
  const auto& [text, skipped] = decoded_[static_cast<std::size_t>(id)];
  if (skipped) return "";
  if (decoder_)
    for (const DecoderStep& step : *decoder_)
      if (std::optional<std::string> bytes = find_bytes(step, text)) return *std::move(bytes);
  // The text that the token adds between two others, or before one: decoders may depend on these.
  const std::string other = "x";
  std::vector<std::string> tokens = {text, other};
  if (!at_start) tokens.insert(tokens.begin(), other);
  const std::string both = joined(std::move(tokens));
  const std::size_t before = at_start ? 0 : other.size();
  const std::size_t after = joined({other, other}).size() - other.size();
  return both.size() < before + after ? "" : both.substr(before, both.size() - before - after);
}

std::string JsonTokenizer::piece(Id id) const {
  if (id < 0 || id >= vocab_size()) return "";
  for (const AddedToken& token : added_)
    if (token.id == id) return token.content;
  return decoded_[static_cast<std::size_t>(id)].text;
}

std::optional<Id> JsonTokenizer::find(std::string_view piece) const {
  const auto added = added_ids_.find(std::string(piece));
  if (added != added_ids_.end()) return added->second;
  return model_.vocabulary.find(piece);
}

}  // namespace meshwright::tokenizers
