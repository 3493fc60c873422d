// SPDX-License-Identifier: Apache-2.0
// Reading of the components of a tokenizer.json. Internal to formats/.
//
// All functions throw data_loss for values that are malformed and unimplemented, naming the
// component, for what is not supported.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/json_value.h"
#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/formats/json_decoder.h"
#include "meshwright/tokenizers/formats/json_vocabulary.h"
#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/split/pre_tokenizer.h"
#include "meshwright/tokenizers/split/rule.h"

namespace meshwright::tokenizers {

/// Throws unimplemented: "pre_tokenizer type 'X' is not supported".
[[noreturn]] void fail_unsupported_type(std::string_view part, std::string_view type);

/// Returns an option, or `otherwise` if it is missing or null.
bool bool_option(const JsonValue& part, std::string_view name, bool otherwise);
std::string text_option(const JsonValue& part, std::string_view name, std::string_view otherwise);

/// A pattern of Split or Replace.
struct JsonPattern {
  std::string text;
  bool is_regex = false;
};
JsonPattern read_pattern(const JsonValue& part);

/// Returns the normalizers in order. `json` may be null.
std::vector<NormalizerPtr> read_normalizers(const JsonValue* json);

/// Returns the steps of a pre_tokenizer, which may be null.
std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonValue* json);

/// Returns the steps of a decoder; no value if it is null.
std::optional<std::vector<DecoderStep>> read_decoder(const JsonValue* json);

/// The ids that a post_processor puts around a text.
struct JsonTemplate {
  std::vector<Id> prefix, suffix;
};
/// `json` may be null.
JsonTemplate read_post_processor(const JsonValue* json);

/// Encodes the parts of a text between added tokens.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;
  /// Appends the ids of normalized text. `at_start` is true at the start of a text.
  virtual void encode(std::string_view text, bool at_start, std::vector<Id>& ids) const = 0;
};

struct JsonModel {
  std::string name;  // "byte-level BPE"
  ModelVocabulary vocabulary;
  std::optional<Id> unknown;
  std::unique_ptr<TextEncoder> encoder;
};
JsonModel read_model(const JsonValue& json, std::vector<PreTokenizerStep> steps);

}  // namespace meshwright::tokenizers
