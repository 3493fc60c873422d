// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/added_tokens.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/unicode/char_sets.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

std::string_view pattern_of(const AddedToken& token) {
  return token.normalized ? token.normalized_content : token.content;
}

std::size_t last_char(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && is_continuation(text[at]))
    --at;
  return at;
}

bool is_in(std::string_view text, std::size_t at, CharSet set) {
  return (CharSets::get().of(decode_valid(text.data() + at).code) & set) != 0;
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
  const bool word_before = begin > 0 && is_in(text, last_char(text.substr(0, begin)), kWordChars);
  return !word_before && (end == text.size() || !is_in(text, end, kWordChars));
}

std::size_t without_trailing_space(std::string_view text, std::size_t end) {
  while (end > 0) {
    const std::size_t last = last_char(text.substr(0, end));
    if (!is_in(text, last, kWhitespaceChars)) break;
    end = last;
  }
  return end;
}

std::size_t end_of_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_in(text, at, kWhitespaceChars))
    at += static_cast<std::size_t>(decode_valid(text.data() + at).length);
  return at;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(std::span<const AddedToken> tokens, bool normalized)
    : tokens_(tokens) {
  std::vector<ByteTrie::Entry> entries;
  std::unordered_set<std::string_view> known;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const AddedToken& token = tokens[i];
    if (token.normalized != normalized) continue;
    const std::string_view pattern = pattern_of(token);
    if (pattern.empty())
      fail(ErrorCode::data_loss, "the added token '", printable_name(token.content),
           "' is empty after normalization");
    if (!known.insert(pattern).second)
      fail(ErrorCode::data_loss, "two added tokens are found as '", printable_name(pattern), "'");
    entries.push_back({pattern, static_cast<std::int32_t>(i)});
    begins_[static_cast<unsigned char>(pattern[0])] = true;
  }
  empty_ = entries.empty();
  trie_ = ByteTrie(std::move(entries));
}

std::size_t AddedTokenFinder::next_candidate(std::string_view text, std::size_t at) const {
  while (at < text.size() && !begins_[static_cast<unsigned char>(text[at])])
    ++at;
  return at;
}

void AddedTokenFinder::split(std::string_view text,
                             SpecialText special,
                             std::vector<TextPart>& parts) const {
  std::size_t copied = 0, at = empty_ ? text.size() : 0;
  while ((at = next_candidate(text, at)) < text.size()) {
    const ByteTrie::Match match = trie_.longest_prefix(text.substr(at));
    if (match.length == 0) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + match.length;
    at = end;
    const AddedToken& token = tokens_[static_cast<std::size_t>(match.value)];
    if (special == SpecialText::plain && token.special) continue;
    if (token.single_word && !is_single_word(text, begin, end)) continue;
    if (token.lstrip) begin = std::max(without_trailing_space(text, begin), copied);
    if (token.rstrip) end = end_of_space(text, end);
    if (copied < begin) parts.push_back({nullptr, text.substr(copied, begin - copied)});
    parts.push_back({&token, {}});
    copied = end;
  }
  if (copied < text.size()) parts.push_back({nullptr, text.substr(copied)});
}

}  // namespace meshwright::tokenizers
