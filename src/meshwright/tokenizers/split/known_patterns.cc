// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/known_patterns.h"

#include <array>
#include <string>

#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/split/scanners.h"

namespace meshwright::tokenizers {
namespace {

// clang-format off
#define CONTRACTIONS R"('s|'t|'re|'ve|'m|'ll|'d)"
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define O200K_WORD(repeat_upper, repeat_lower) \
  R"([^\r\n\p{L}\p{N}]?)" UPPER repeat_upper LOWER repeat_lower
#define SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"

const std::array kPatterns = {
    KnownPattern{kGpt2Pattern, gpt2_scanner, Gaps::none, false, "gpt2"},
    KnownPattern{CONTRACTIONS R"(| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                 gpt2_scanner},
    // GPT-2 and cl100k as tiktoken has spelled them since 0.6 and 0.8.
    KnownPattern{R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                 gpt2_scanner},
    KnownPattern{R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)",
                 gpt2_scanner},
    KnownPattern{R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
                 cl100k_scanner, Gaps::none, true},
    KnownPattern{R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
                 cl100k_one_digit_scanner},
    KnownPattern{R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
                 llama3_scanner},
    KnownPattern{"(?i:" CONTRACTIONS R"()|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" SPACES,
                 llama3_scanner, Gaps::none, false, "llama3"},
    KnownPattern{"(?i:" CONTRACTIONS R"()|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)" SPACES,
                 qwen2_scanner, Gaps::none, false, "qwen2"},
    KnownPattern{"(?i:" CONTRACTIONS R"()|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" SPACES,
                 qwen3_5_scanner, Gaps::none, false, "qwen3_5"},
    KnownPattern{O200K_WORD("*", "+") "(?i:" CONTRACTIONS ")?|"
                 O200K_WORD("+", "*") "(?i:" CONTRACTIONS ")?|"
                 R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES,
                 o200k_scanner, Gaps::none, false, "o200k"},
    KnownPattern{O200K_WORD("*", "+") "|" O200K_WORD("+", "*")
                 R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" SPACES,
                 tekken_scanner, Gaps::none, false, "tekken"},
    KnownPattern{R"(\p{N})", one_digit_scanner, Gaps::words},
    KnownPattern{R"(\p{N}{1,3})", three_digits_scanner, Gaps::words, false, "deepseek_v3"},
    KnownPattern{"[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f\xe3\x82\xa0-\xe3\x83\xbf]+",
                 cjk_scanner, Gaps::words, false, "deepseek_v3"},
    KnownPattern{R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" SPACES,
                 deepseek_scanner, Gaps::words, false, "deepseek_v3"},
    KnownPattern{CONTRACTIONS R"(|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)", clip_scanner, Gaps::dropped},
};
// clang-format on

// Some files spell newlines as escapes, others as the characters.
std::string with_escaped_newlines(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == '\n' || c == '\r')
      out += c == '\n' ? "\\n" : "\\r";
    else
      out += c;
  }
  return out;
}

}  // namespace

const KnownPattern* find_known_pattern(std::string_view pattern, Grammar grammar) {
  const std::string wanted = with_escaped_newlines(pattern);
  for (const KnownPattern& known : kPatterns)
    if (known.pattern == wanted && !(known.only_rust && grammar == Grammar::oniguruma))
      return &known;
  return nullptr;
}

std::vector<std::string> named_patterns(std::string_view name) {
  std::vector<std::string> out;
  for (const KnownPattern& known : kPatterns)
    if (!known.name.empty() && known.name == name) out.emplace_back(known.pattern);
  return out;
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> out;
  for (const KnownPattern& known : kPatterns)
    if (!known.name.empty() && (out.empty() || out.back() != known.name))
      out.emplace_back(known.name);
  return out;
}

SplitterPtr find_splitter(std::string_view pattern) {
  const KnownPattern* known = find_known_pattern(pattern, Grammar::rust);
  // tiktoken drops what does not match.
  return known == nullptr || known->gaps == Gaps::words ? nullptr : known->scanner();
}

}  // namespace meshwright::tokenizers
