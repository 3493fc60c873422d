// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/normalize/sentencepiece_normalizer.h"

#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

ByteTrie trie_of(const std::vector<std::string>& kept) {
  std::vector<ByteTrie::Entry> entries;
  for (const std::string& symbol : kept) {
    if (!is_valid_utf8(symbol))
      fail(ErrorCode::data_loss, "a user-defined symbol is not valid UTF-8");
    entries.push_back({symbol, static_cast<std::int32_t>(entries.size())});
  }
  return ByteTrie(std::move(entries));
}

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceRules& rules)
    : charsmap_(rules.charsmap.empty() ? Charsmap() : Charsmap(rules.charsmap)),
      kept_(trie_of(rules.kept)),
      has_kept_(!rules.kept.empty()),
      dummy_prefix_(rules.add_dummy_prefix && !rules.space_is_suffix),
      dummy_suffix_(rules.add_dummy_prefix && rules.space_is_suffix),
      remove_extra_(rules.remove_extra_whitespaces),
      space_(rules.escape_whitespaces ? kMark : ' ') {
  for (int c = 0; c < 0x80; ++c)
    fast_[static_cast<std::size_t>(c)] = fast_class(static_cast<char>(c));
}

SentencePieceNormalizer::Fast SentencePieceNormalizer::fast_class(char c) const {
  std::string text(1, c);
  ByteTrie::Node node = kept_.root();
  if (charsmap_.longest_prefix(text).length != 0 || kept_.step(node, c)) return Fast::never;
  Fast fast = Fast::always;
  for (int byte = 0; byte < 0x100; ++byte) {
    text.resize(1);
    text += static_cast<char>(byte);
    if (!charsmap_.may_begin_key(text)) continue;
    if (byte < 0x80) return Fast::never;
    fast = Fast::before_ascii;
  }
  return fast;
}

// Returns what the first symbol, rule or character of the text becomes.
SentencePieceNormalizer::Step SentencePieceNormalizer::next(std::string_view text) const {
  if (has_kept_) {
    const std::size_t length = kept_.longest_prefix(text).length;
    if (length > 0) return {text.substr(0, length), length};
  }
  const Charsmap::Match rule = charsmap_.longest_prefix(text);
  if (rule.length > 0) return {rule.replacement, rule.length};
  const std::size_t length = valid_utf8_prefix(text);
  if (length == 0) return {kReplacement, 1};
  return {text.substr(0, length), length};
}

std::size_t SentencePieceNormalizer::leading_spaces(std::string_view text) const {
  std::size_t at = 0;
  while (at < text.size()) {
    const Step step = next(text.substr(at));
    if (step.text != " ") break;
    at += step.consumed;
  }
  return at;
}

void SentencePieceNormalizer::normalize(std::string_view text, std::string& out) const {
  out.clear();
  if (remove_extra_) text.remove_prefix(leading_spaces(text));
  if (text.empty()) return;
  if (dummy_prefix_) out += space_;
  append_all(text, out);
  while (remove_extra_ && !out.empty() && out.back() == space_)
    out.pop_back();
  if (dummy_suffix_) out += space_;
}

void SentencePieceNormalizer::append_all(std::string_view text, std::string& out) const {
  bool after_space = remove_extra_;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = append_fast(text, at, out);
    if (end > at) {
      at = end;
      after_space = false;
      continue;
    }
    if (text[at] == ' ' && is_fast(text, at)) {
      if (!after_space) out += space_;
      after_space = remove_extra_;
      ++at;
      continue;
    }
    const Step step = next(text.substr(at));
    after_space = append_step(step.text, after_space, out) && remove_extra_;
    at += step.consumed;
  }
}

// Appends characters other than spaces that no rule changes, and returns their end.
std::size_t SentencePieceNormalizer::append_fast(std::string_view text,
                                                 std::size_t at,
                                                 std::string& out) const {
  std::size_t end = at;
  while (end < text.size() && text[end] != ' ' && is_fast(text, end))
    ++end;
  out.append(text, at, end - at);
  return end;
}

// Appends what a rule or character became, without leading spaces if a space came before. Returns
// whether the text so far ends with a space.
bool SentencePieceNormalizer::append_step(std::string_view step,
                                          bool after_space,
                                          std::string& out) const {
  while (after_space && !step.empty() && step.front() == ' ')
    step.remove_prefix(1);
  if (step.empty()) return after_space;
  const bool ends_with_space = step.back() == ' ';
  while (!step.empty()) {
    const bool is_mark = step.starts_with(kMarkUtf8);
    out += is_mark ? kMark : step.front() == ' ' ? space_ : step.front();
    step.remove_prefix(is_mark ? kMarkUtf8.size() : 1);
  }
  return ends_with_space;
}

}  // namespace meshwright::tokenizers
