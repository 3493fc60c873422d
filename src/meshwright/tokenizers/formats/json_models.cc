// SPDX-License-Identifier: Apache-2.0
// The models of tokenizer.json.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/bpe/byte_bpe.h"
#include "meshwright/tokenizers/bpe/char_bpe.h"
#include "meshwright/tokenizers/formats/json_parts.h"
#include "meshwright/tokenizers/unicode/byte_chars.h"
#include "meshwright/tokenizers/unigram/unigram_words.h"
#include "meshwright/tokenizers/wordpiece/wordpiece.h"

namespace meshwright::tokenizers {
namespace {

using Steps = std::vector<PreTokenizerStep>;
using Kind = PreTokenizerStep::Kind;
using Merges = std::vector<std::pair<std::string_view, std::string_view>>;

/// Splits text, then encodes each word.
class WordsEncoder final : public TextEncoder {
 public:
  WordsEncoder(Steps steps, std::unique_ptr<const WordModel> model)
      : pre_tokenizer_(std::move(steps)), model_(std::move(model)) {}

  void encode(std::string_view text, bool at_start, std::vector<Id>& ids) const override {
    const auto source = [&](WordSink& words) { pre_tokenizer_.split(text, at_start, words); };
    model_->encode(source, ids);
  }

 private:
  PreTokenizer pre_tokenizer_;
  std::unique_ptr<const WordModel> model_;
};

/// Encodes bytes without the detour by the characters that stand for them.
class BytesEncoder final : public TextEncoder {
 public:
  BytesEncoder(SplitterPtr splitter, bool prefix_space, const BpeModel& model)
      : splitter_(std::move(splitter)), prefix_space_(prefix_space), bpe_(model) {}

  void encode(std::string_view text, bool, std::vector<Id>& ids) const override {
    if (!prefix_space_ || text.starts_with(' ')) return bpe_.encode(*splitter_, text, ids);
    std::string spaced;
    spaced.reserve(text.size() + 1);
    spaced += ' ';
    spaced += text;
    bpe_.encode(*splitter_, spaced, ids);
  }

 private:
  SplitterPtr splitter_;
  bool prefix_space_;
  ByteBpe bpe_;
};

// The limit of MergeTable.
constexpr std::int64_t kMostIds = std::int64_t{1} << 21;

std::vector<std::string> read_vocab(const JsonValue& json) {
  std::vector<std::string> tokens;
  for (const auto& [token, value] : json.at("vocab").as_object()) {
    const std::int64_t id = value.as_integer();
    if (id < 0 || id >= kMostIds)
      fail(ErrorCode::data_loss, "the token '", printable_name(token), "' has the id ", id,
           ", expected 0 to ", kMostIds - 1);
    const auto at = static_cast<std::size_t>(id);
    if (at >= tokens.size()) tokens.resize(at + 1);
    if (token.empty()) fail(ErrorCode::unimplemented, "an empty token is not supported");
    if (!tokens[at].empty())
      fail(ErrorCode::data_loss, "the tokens '", printable_name(tokens[at]), "' and '",
           printable_name(token), "' have the same id ", id);
    tokens[at] = token;
  }
  return tokens;
}

Merges read_merges(const JsonValue& json) {
  Merges out;
  for (const JsonValue& merge : json.at("merges").as_array()) {
    if (merge.is_array()) {
      const JsonValue::Array& pair = merge.as_array();
      if (pair.size() != 2)
        fail(ErrorCode::data_loss, "merge ", out.size(), " has ", pair.size(),
             " tokens, expected 2");
      out.emplace_back(pair[0].as_text(), pair[1].as_text());
      continue;
    }
    const std::string_view text = merge.as_text();
    if (text.starts_with("#version")) continue;
    const std::size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos)
      fail(ErrorCode::data_loss, "merge ", out.size(), " is '", printable_name(text),
           "', expected two tokens");
    out.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  if (std::ssize(out) >= kMostIds)
    fail(ErrorCode::unimplemented, out.size(), " merges are not supported, at most ", kMostIds - 1);
  return out;
}

std::optional<Id> find_unknown(const JsonValue& json, const ModelVocabulary& vocabulary) {
  const std::string unknown = text_option(json, "unk_token", "");
  return unknown.empty() ? std::nullopt : vocabulary.find(unknown);
}

/// How a byte-level pre_tokenizer splits bytes.
struct ByteSplit {
  SplitterPtr splitter;
  bool prefix_space = false;
};

// Returns how the steps split bytes if they end with byte_chars and have no other change than a
// space in front.
std::optional<ByteSplit> byte_split(const Steps& steps) {
  ByteSplit out;
  std::vector<SplitterPtr> splitters;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    if (is_last != (steps[i].kind == Kind::byte_chars)) return std::nullopt;
    if (steps[i].kind == Kind::split)
      splitters.push_back(steps[i].splitter);
    else if (steps[i].kind == Kind::prefix_space && i == 0)
      out.prefix_space = true;
    else if (!is_last)
      return std::nullopt;
  }
  if (steps.empty()) return std::nullopt;
  out.splitter = split_in_sequence(std::move(splitters));
  return out;
}

/// A vocabulary and merges with their bytes.
struct ByteModel {
  std::vector<std::string> tokens;
  std::vector<std::pair<std::string, std::string>> merges;

  /// Returns nullopt if a merge has other characters than those that stand for bytes.
  static std::optional<ByteModel> from(const ModelVocabulary& vocabulary, const Merges& merges) {
    ByteModel out;
    for (const std::string& token : vocabulary.tokens())
      out.tokens.push_back(bytes_of_chars(token).value_or(""));
    for (const auto& [left, right] : merges) {
      auto left_bytes = bytes_of_chars(left), right_bytes = bytes_of_chars(right);
      if (!left_bytes.has_value() || !right_bytes.has_value()) return std::nullopt;
      out.merges.emplace_back(std::move(*left_bytes), std::move(*right_bytes));
    }
    return out;
  }
  bool has_all_bytes() const {
    std::vector<bool> found(256);
    for (const std::string& token : tokens)
      if (token.size() == 1) found[static_cast<unsigned char>(token[0])] = true;
    return std::ranges::count(found, true) == 256;
  }
};

std::unique_ptr<TextEncoder> make_bpe(const JsonValue& json, JsonModel& out, Steps steps) {
  CharBpeModel model;
  model.unknown = find_unknown(json, out.vocabulary);
  const std::string unknown = text_option(json, "unk_token", "");
  model.fuse_unknown = bool_option(json, "fuse_unk", false);
  model.byte_fallback = bool_option(json, "byte_fallback", false);
  model.ignore_merges = bool_option(json, "ignore_merges", false);
  model.continuing_prefix = text_option(json, "continuing_subword_prefix", "");
  model.end_of_word_suffix = text_option(json, "end_of_word_suffix", "");
  model.merges = read_merges(json);
  const JsonValue* dropout = json.find("dropout");
  if (dropout != nullptr && !dropout->is_null() && dropout->as_number() != 0)
    fail(ErrorCode::unimplemented, "model option 'dropout' is not supported");
  const std::optional<ByteSplit> split = byte_split(steps);
  const bool is_plain = model.continuing_prefix.empty() && model.end_of_word_suffix.empty();
  if (split.has_value() && is_plain) {
    const auto bytes = ByteModel::from(out.vocabulary, model.merges);
    if (bytes.has_value() && bytes->has_all_bytes()) {
      out.name = "byte-level BPE";
      BpeModel byte_model;
      byte_model.tokens = bytes->tokens;
      byte_model.merges = {bytes->merges.begin(), bytes->merges.end()};
      byte_model.ignore_merges = model.ignore_merges;
      return std::make_unique<BytesEncoder>(split->splitter, split->prefix_space, byte_model);
    }
  }
  if (!unknown.empty() && !model.unknown.has_value())
    fail(ErrorCode::data_loss, "the unknown token '", printable_name(unknown),
         "' is not in the vocabulary");
  out.name = "BPE";
  model.tokens = out.vocabulary.tokens();
  return std::make_unique<WordsEncoder>(std::move(steps), std::make_unique<CharBpe>(model));
}

// Returns the score as `tokenizers` reads it, which may differ in the last bit: it divides the
// digits by a power of ten. Ties between segmentations depend on it.
double score_as_read(double score) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(score),
                                 std::chars_format::scientific)
                       .ptr;
  std::uint64_t digits = 0;
  int exponent = 0;
  const char* at = text.data();
  bool after_point = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      after_point = true;
      continue;
    }
    digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    exponent -= after_point ? 1 : 0;
  }
  int written = 0;
  if (at != end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, written);
  exponent += written;
  if (std::abs(exponent) > 300) return score;
  const std::string power = "1e" + std::to_string(std::abs(exponent));
  double scale = 1;
  std::from_chars(power.data(), power.data() + power.size(), scale);
  const auto significand = static_cast<double>(digits);
  return std::copysign(exponent < 0 ? significand / scale : significand * scale, score);
}

JsonModel read_unigram(const JsonValue& json, Steps steps) {
  std::vector<std::pair<std::string, double>> pieces;
  std::vector<std::string> tokens;
  for (const JsonValue& piece : json.at("vocab").as_array()) {
    const JsonValue::Array& pair = piece.as_array();
    if (pair.size() != 2)
      fail(ErrorCode::data_loss, "piece ", pieces.size(), " has ", pair.size(),
           " values, expected a text and a score");
    pieces.emplace_back(pair[0].as_text(), score_as_read(pair[1].as_number()));
    tokens.push_back(pair[0].as_text());
  }
  JsonModel out;
  out.name = "unigram model";
  out.vocabulary = ModelVocabulary(std::move(tokens));
  const JsonValue* unknown = json.find("unk_id");
  if (unknown != nullptr && !unknown->is_null()) {
    const std::int64_t id = unknown->as_integer();
    if (id < 0 || id >= out.vocabulary.end())
      fail(ErrorCode::data_loss, "unk_id is ", id, " in a vocabulary of ", out.vocabulary.end());
    out.unknown = static_cast<Id>(id);
  }
  const bool byte_fallback = bool_option(json, "byte_fallback", false);
  out.encoder = std::make_unique<WordsEncoder>(
      std::move(steps), std::make_unique<UnigramWords>(pieces, out.unknown, byte_fallback));
  return out;
}

std::unique_ptr<WordModel> make_wordpiece(const JsonValue& json, const JsonModel& model) {
  WordPieceOptions options;
  options.unknown = model.unknown.value_or(-1);
  options.continuing_prefix = json.at("continuing_subword_prefix").as_text();
  options.max_chars = json.at("max_input_chars_per_word").as_integer();
  return std::make_unique<WordPiece>(model.vocabulary.tokens(), std::move(options));
}

std::string model_type(const JsonValue& json) {
  if (json.find("type") != nullptr) return json.at("type").as_text();
  // Files of old versions have no type.
  if (json.find("merges") != nullptr) return "BPE";
  if (json.find("max_input_chars_per_word") != nullptr) return "WordPiece";
  return json.at("vocab").is_array() ? "Unigram" : "WordLevel";
}

}  // namespace

JsonModel read_model(const JsonValue& json, std::vector<PreTokenizerStep> steps) {
  const std::string type = model_type(json);
  if (type == "Unigram") return read_unigram(json, std::move(steps));
  if (type != "BPE" && type != "WordPiece" && type != "WordLevel")
    fail_unsupported_type("model", type);
  JsonModel out;
  out.name = type;
  out.vocabulary = ModelVocabulary(read_vocab(json));
  out.unknown = find_unknown(json, out.vocabulary);
  if (type == "BPE") {
    out.encoder = make_bpe(json, out, std::move(steps));
    return out;
  }
  std::unique_ptr<WordModel> model;
  if (type == "WordPiece")
    model = make_wordpiece(json, out);
  else
    model = std::make_unique<WordLevel>(out.vocabulary.tokens(), out.unknown.value_or(-1));
  out.encoder = std::make_unique<WordsEncoder>(std::move(steps), std::move(model));
  return out;
}

}  // namespace meshwright::tokenizers
