// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/pre_tokenizer.h"

#include <optional>
#include <span>

#include "meshwright/tokenizers/unicode/byte_chars.h"

namespace meshwright::tokenizers {
namespace {

using Steps = std::span<const PreTokenizerStep>;
using Kind = PreTokenizerStep::Kind;

void run(Steps steps, std::string_view text, const char* start, WordSink& words);

/// Applies the steps to each word. `start` is where the text starts, or null.
class Applied final : public WordSink {
 public:
  Applied(Steps steps, const char* start, WordSink& words)
      : steps_(steps), start_(start), words_(words) {}

 private:
  void take(std::span<const std::string_view> batch) override {
    for (const std::string_view word : batch)
      run(steps_, word, word.data() == start_ ? start_ : nullptr, words_);
  }

  Steps steps_;
  const char* start_;
  WordSink& words_;
};

void append_metaspace(const PreTokenizerStep& step,
                      std::string_view word,
                      bool at_start,
                      std::string& out) {
  for (std::size_t at = 0;;) {
    const std::size_t found = word.find(' ', at);
    out += word.substr(at, found - at);
    if (found == word.npos) break;
    out += step.replacement;
    at = found + 1;
  }
  const bool wanted =
      step.scheme == PrependScheme::always || (step.scheme == PrependScheme::first && at_start);
  if (wanted && !out.starts_with(step.replacement)) out.insert(0, step.replacement);
}

std::string changed(const PreTokenizerStep& step, std::string_view word, bool at_start) {
  std::string out;
  out.reserve(word.size() + word.size() / 2 + 4);
  switch (step.kind) {
    case Kind::prefix_space:
      if (!word.starts_with(' ')) out += ' ';
      out += word;
      break;
    case Kind::byte_chars:
      append_byte_chars(word, out);
      break;
    case Kind::metaspace:
      append_metaspace(step, word, at_start, out);
      break;
    case Kind::split:
      break;
  }
  return out;
}

void run(Steps steps, std::string_view text, const char* start, WordSink& words) {
  if (text.empty()) return;
  if (steps.empty()) return words.push(text);
  const PreTokenizerStep& step = steps.front();
  const Steps rest = steps.subspan(1);
  if (step.kind != Kind::split) {
    const std::string word = changed(step, text, text.data() == start);
    run(rest, word, start == nullptr ? nullptr : word.data(), words);
    // The words are views of `word`.
    words.flush();
    return;
  }
  if (rest.empty()) return step.splitter->split(text, words);
  Applied applied(rest, start, words);
  step.splitter->split(text, applied);
  applied.flush();
}

}  // namespace

void PreTokenizer::split(std::string_view text, bool at_start, WordSink& words) const {
  run(steps_, text, at_start ? text.data() : nullptr, words);
  words.flush();
}

}  // namespace meshwright::tokenizers
