// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/json_parts.h"

#include <limits>
#include <utility>

#include "meshwright/base/base64.h"
#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/split/char_splitters.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

const std::string& type_of(const JsonValue& part) {
  return part.at("type").as_text();
}

std::string text_of_one_char(const JsonValue& part, std::string_view name) {
  const std::string& text = part.at(name).as_text();
  if (text.empty() || static_cast<std::size_t>(decode_valid(text.data()).length) != text.size())
    fail(ErrorCode::data_loss, "'", name, "' is '", printable_name(text),
         "', expected one character");
  return text;
}

NormalizerPtr read_replace(const JsonValue& part) {
  JsonPattern pattern = read_pattern(part);
  std::string content = part.at("content").as_text();
  if (pattern.is_regex) return replace_regex_normalizer(pattern.text, std::move(content));
  return replace_text_normalizer(std::move(pattern.text), std::move(content));
}

NormalizerPtr read_bert_normalizer(const JsonValue& part) {
  BertOptions options;
  options.clean_text = part.at("clean_text").as_bool();
  options.handle_chinese_chars = part.at("handle_chinese_chars").as_bool();
  options.lowercase = part.at("lowercase").as_bool();
  options.strip_accents = bool_option(part, "strip_accents", options.lowercase);
  return bert_normalizer(options);
}

NormalizerPtr read_precompiled(const JsonValue& part) {
  const std::optional<std::string> bytes = from_base64(part.at("precompiled_charsmap").as_text());
  if (!bytes.has_value()) fail(ErrorCode::data_loss, "'precompiled_charsmap' is not valid base64");
  return precompiled_normalizer(*bytes);
}

void add_normalizers(const JsonValue& part, std::vector<NormalizerPtr>& out) {
  const std::string& type = type_of(part);
  if (type == "Sequence") {
    for (const JsonValue& each : part.at("normalizers").as_array())
      add_normalizers(each, out);
    return;
  }
  const auto make = [&]() -> NormalizerPtr {
    if (type == "NFC") return unicode_normalizer(UnicodeForm::nfc);
    if (type == "NFD") return unicode_normalizer(UnicodeForm::nfd);
    if (type == "NFKC") return unicode_normalizer(UnicodeForm::nfkc);
    if (type == "NFKD") return unicode_normalizer(UnicodeForm::nfkd);
    if (type == "Lowercase") return lowercase_normalizer();
    if (type == "StripAccents") return strip_accents_normalizer();
    if (type == "Nmt") return nmt_normalizer();
    if (type == "ByteLevel") return byte_level_normalizer();
    if (type == "Prepend") return prepend_normalizer(part.at("prepend").as_text());
    if (type == "Replace") return read_replace(part);
    if (type == "BertNormalizer") return read_bert_normalizer(part);
    if (type == "Precompiled") return read_precompiled(part);
    if (type == "Strip")
      return strip_normalizer(part.at("strip_left").as_bool(), part.at("strip_right").as_bool());
    fail_unsupported_type("normalizer", type);
  };
  out.push_back(make());
}

SplitBehavior read_behavior(const std::string& name) {
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  fail(ErrorCode::data_loss, "unknown behavior '", printable_name(name), "' of a pre_tokenizer");
}

using Steps = std::vector<PreTokenizerStep>;
using Kind = PreTokenizerStep::Kind;

void add_metaspace(const JsonValue& part, Steps& steps) {
  PreTokenizerStep step{.kind = Kind::metaspace};
  step.replacement = text_of_one_char(part, "replacement");
  const std::string scheme = text_option(part, "prepend_scheme", "always");
  if (scheme == "always")
    step.scheme = PrependScheme::always;
  else if (scheme == "first")
    step.scheme = PrependScheme::first;
  else if (scheme == "never")
    step.scheme = PrependScheme::never;
  else
    fail(ErrorCode::data_loss, "unknown prepend_scheme '", printable_name(scheme), "'");
  if (!bool_option(part, "add_prefix_space", true) && step.scheme != PrependScheme::never) {
    fail(ErrorCode::data_loss, "prepend_scheme '", scheme, "' contradicts add_prefix_space");
  }
  const SplitRule rule{step.replacement, false, SplitBehavior::merged_with_next, false};
  steps.push_back(std::move(step));
  if (bool_option(part, "split", true)) steps.push_back({.splitter = make_splitter(rule)});
}

void add_byte_level(const JsonValue& part, Steps& steps) {
  if (part.at("add_prefix_space").as_bool()) steps.push_back({.kind = Kind::prefix_space});
  if (bool_option(part, "use_regex", true))
    steps.push_back({.splitter = make_splitter({std::string(kGpt2Pattern)})});
  steps.push_back({.kind = Kind::byte_chars});
}

SplitterPtr read_split(const JsonValue& part) {
  JsonPattern pattern = read_pattern(part);
  return make_splitter({std::move(pattern.text), pattern.is_regex,
                        read_behavior(part.at("behavior").as_text()), part.at("invert").as_bool()});
}

void add_steps(const JsonValue& part, Steps& steps) {
  const std::string& type = type_of(part);
  if (type == "Sequence") {
    for (const JsonValue& each : part.at("pretokenizers").as_array())
      add_steps(each, steps);
    return;
  }
  if (type == "ByteLevel") return add_byte_level(part, steps);
  if (type == "Metaspace") return add_metaspace(part, steps);
  const auto make = [&]() -> SplitterPtr {
    if (type == "Split") return read_split(part);
    if (type == "Whitespace") return word_splitter();
    if (type == "WhitespaceSplit") return whitespace_splitter();
    if (type == "BertPreTokenizer") return bert_splitter();
    if (type == "Digits") return digits_splitter(part.at("individual_digits").as_bool());
    if (type == "Punctuation")
      return punctuation_splitter(read_behavior(text_option(part, "behavior", "Isolated")));
    if (type == "CharDelimiterSplit" || type == "Delimiter")
      return make_splitter(
          {text_of_one_char(part, "delimiter"), false, SplitBehavior::removed, false});
    fail_unsupported_type("pre_tokenizer", type);
  };
  steps.push_back({.splitter = make()});
}

void add_decoder(const JsonValue& part, std::vector<DecoderStep>& steps) {
  using Step = DecoderStep::Kind;
  const std::string& type = type_of(part);
  const auto count = [&](std::string_view name) {
    const std::int64_t value = part.at(name).as_integer();
    if (value < 0) fail(ErrorCode::data_loss, "'", name, "' of decoder 'Strip' is negative");
    return static_cast<std::size_t>(value);
  };
  if (type == "Sequence") {
    for (const JsonValue& each : part.at("decoders").as_array())
      add_decoder(each, steps);
  } else if (type == "ByteLevel") {
    steps.push_back({.kind = Step::byte_level});
  } else if (type == "ByteFallback") {
    steps.push_back({.kind = Step::byte_fallback});
  } else if (type == "Fuse") {
    steps.push_back({.kind = Step::fuse});
  } else if (type == "Metaspace") {
    steps.push_back({.kind = Step::metaspace,
                     .text = text_of_one_char(part, "replacement"),
                     .flag = text_option(part, "prepend_scheme", "always") != "never"});
  } else if (type == "Replace") {
    steps.push_back({.kind = Step::replace, .replacement = read_replace(part)});
  } else if (type == "Strip") {
    steps.push_back({.kind = Step::strip,
                     .text = text_of_one_char(part, "content"),
                     .start = count("start"),
                     .stop = count("stop")});
  } else if (type == "BPEDecoder") {
    steps.push_back({.kind = Step::suffix, .text = part.at("suffix").as_text()});
  } else if (type == "WordPiece") {
    steps.push_back({.kind = Step::wordpiece,
                     .text = part.at("prefix").as_text(),
                     .flag = part.at("cleanup").as_bool()});
  } else {
    fail_unsupported_type("decoder", type);
  }
}

Id read_id(const JsonValue& value) {
  const std::int64_t id = value.as_integer();
  if (id < 0 || id > std::numeric_limits<Id>::max())
    fail(ErrorCode::data_loss, "the token id ", id, " is out of range");
  return static_cast<Id>(id);
}

// The text goes where "$A" is in the template for single texts.
JsonTemplate read_template(const JsonValue& part) {
  JsonTemplate out;
  bool after_text = false;
  for (const JsonValue& piece : part.at("single").as_array()) {
    if (const JsonValue* sequence = piece.find("Sequence")) {
      if (sequence->at("id").as_text() != "A" || after_text)
        fail(ErrorCode::unimplemented,
             "post_processor 'TemplateProcessing' whose 'single' has not exactly one text is not "
             "supported");
      after_text = true;
      continue;
    }
    const std::string& name = piece.at("SpecialToken").at("id").as_text();
    for (const JsonValue& id : part.at("special_tokens").at(name).at("ids").as_array())
      (after_text ? out.suffix : out.prefix).push_back(read_id(id));
  }
  if (!after_text)
    fail(ErrorCode::unimplemented,
         "post_processor 'TemplateProcessing' whose 'single' has no text is not supported");
  return out;
}

}  // namespace

void fail_unsupported_type(std::string_view part, std::string_view type) {
  fail(ErrorCode::unimplemented, part, " type '", printable_name(type), "' is not supported");
}

bool bool_option(const JsonValue& part, std::string_view name, bool otherwise) {
  const JsonValue* value = part.find(name);
  return value == nullptr || value->is_null() ? otherwise : value->as_bool();
}

std::string text_option(const JsonValue& part, std::string_view name, std::string_view otherwise) {
  const JsonValue* value = part.find(name);
  return value == nullptr || value->is_null() ? std::string(otherwise) : value->as_text();
}

JsonPattern read_pattern(const JsonValue& part) {
  const JsonValue& pattern = part.at("pattern");
  JsonPattern out;
  if (const JsonValue* text = pattern.find("String"))
    out.text = text->as_text();
  else
    out = {pattern.at("Regex").as_text(), true};
  if (out.text.empty()) fail(ErrorCode::unimplemented, "an empty pattern is not supported");
  return out;
}

std::vector<NormalizerPtr> read_normalizers(const JsonValue* json) {
  std::vector<NormalizerPtr> out;
  if (json != nullptr && !json->is_null()) add_normalizers(*json, out);
  return out;
}

std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonValue* json) {
  Steps steps;
  if (json != nullptr && !json->is_null()) add_steps(*json, steps);
  return steps;
}

std::optional<std::vector<DecoderStep>> read_decoder(const JsonValue* json) {
  if (json == nullptr || json->is_null()) return std::nullopt;
  std::vector<DecoderStep> steps;
  add_decoder(*json, steps);
  return steps;
}

JsonTemplate read_post_processor(const JsonValue* json) {
  JsonTemplate out;
  if (json == nullptr || json->is_null()) return out;
  const std::string& type = type_of(*json);
  if (type == "Sequence") {
    for (const JsonValue& each : json->at("processors").as_array()) {
      JsonTemplate outer = read_post_processor(&each);
      out.prefix.insert(out.prefix.begin(), outer.prefix.begin(), outer.prefix.end());
      out.suffix.insert(out.suffix.end(), outer.suffix.begin(), outer.suffix.end());
    }
  } else if (type == "TemplateProcessing") {
    out = read_template(*json);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    const auto id = [&](std::string_view name) {
      const JsonValue::Array& pair = json->at(name).as_array();
      if (pair.size() != 2)
        fail(ErrorCode::data_loss, "'", name, "' has ", pair.size(), " values, expected 2");
      return read_id(pair[1]);
    };
    out = {{id("cls")}, {id("sep")}};
  } else if (type != "ByteLevel") {
    fail_unsupported_type("post_processor", type);
  }
  return out;
}

}  // namespace meshwright::tokenizers
