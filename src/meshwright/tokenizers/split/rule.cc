// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/rule.h"

#include <optional>
#include <utility>

#include "meshwright/tokenizers/split/known_patterns.h"
#include "meshwright/tokenizers/split/pcre2_matcher.h"
#include "meshwright/tokenizers/split/pieces.h"
#include "meshwright/tokenizers/split/to_pcre2.h"

namespace meshwright::tokenizers {
namespace {

template <typename FindMatch>
void split_by(const SplitRule& rule, std::string_view text, WordSink& words, FindMatch find) {
  Pieces pieces(rule.behavior, words);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::optional<std::string_view> match = find(at);
    if (!match.has_value()) break;
    const auto start = static_cast<std::size_t>(match->data() - text.data());
    pieces.add(text.substr(at, start - at), rule.invert);
    pieces.add(*match, !rule.invert);
    at = start + match->size();
  }
  pieces.add(text.substr(at), rule.invert);
  pieces.finish();
}

class RegexSplitter final : public Splitter {
 public:
  explicit RegexSplitter(const SplitRule& rule)
      : rule_(rule), pattern_(to_pcre2(rule.pattern), rule.pattern) {}

  void split(std::string_view text, WordSink& words) const override {
    Pcre2Matcher matcher(pattern_, text);
    split_by(rule_, text, words, [&](std::size_t at) { return matcher.find(at); });
  }

 private:
  SplitRule rule_;
  Pcre2Pattern pattern_;
};

class TextSplitter final : public Splitter {
 public:
  explicit TextSplitter(const SplitRule& rule) : rule_(rule) {}

  void split(std::string_view text, WordSink& words) const override {
    const auto find = [&](std::size_t at) -> std::optional<std::string_view> {
      const std::size_t found = rule_.pattern.empty() ? text.npos : text.find(rule_.pattern, at);
      if (found == text.npos) return std::nullopt;
      return text.substr(found, rule_.pattern.size());
    };
    split_by(rule_, text, words, find);
  }

 private:
  SplitRule rule_;
};

bool scanner_serves(const KnownPattern& known, const SplitRule& rule) {
  const bool isolated = rule.behavior == SplitBehavior::isolated;
  const bool matches_only = rule.behavior == SplitBehavior::removed && rule.invert;
  switch (known.gaps) {
    case Gaps::none:
      return isolated || matches_only;
    case Gaps::words:
      return isolated;
    case Gaps::dropped:
      return matches_only;
  }
  return false;
}

}  // namespace

SplitterPtr make_splitter(const SplitRule& rule) {
  if (!rule.is_regex) return std::make_shared<TextSplitter>(rule);
  const KnownPattern* known = find_known_pattern(rule.pattern, Grammar::oniguruma);
  if (known != nullptr && scanner_serves(*known, rule)) return known->scanner();
  return std::make_shared<RegexSplitter>(rule);
}

SplitterPtr splitter_for(const std::vector<std::string>& patterns) {
  std::vector<SplitterPtr> parts;
  for (const std::string& pattern : patterns)
    parts.push_back(make_splitter({.pattern = pattern}));
  return split_in_sequence(std::move(parts));
}

}  // namespace meshwright::tokenizers
