// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/wordpiece/wordpiece.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/bpe/cached_words.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

// Returns a trie of what follows `prefix` in the tokens that begin with it.
ByteTrie trie_of(std::span<const std::string> tokens, std::string_view prefix) {
  std::vector<ByteTrie::Entry> entries;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    if (token.size() > prefix.size() && token.starts_with(prefix))
      entries.push_back({token.substr(prefix.size()), static_cast<std::int32_t>(i)});
  }
  return ByteTrie(std::move(entries));
}

Id known_or_fail(Id unknown, std::string_view word) {
  if (unknown < 0)
    fail(ErrorCode::invalid_argument, "the word '", printable_name(word.substr(0, 100)),
         "' is not in the vocabulary, which has no unknown token");
  return unknown;
}

}  // namespace

WordPiece::WordPiece(std::span<const std::string> tokens, WordPieceOptions options)
    : first_(trie_of(tokens, "")),
      continuing_(trie_of(tokens, options.continuing_prefix)),
      options_(std::move(options)) {}

void WordPiece::encode(const WordSource& source, std::vector<Id>& ids) const {
  encode_cached(caches_, source, ids,
                [this](std::string_view word, std::vector<Id>& out) { encode_word(word, out); });
}

void WordPiece::encode_word(std::string_view word, std::vector<Id>& ids) const {
  const std::size_t before = ids.size();
  const std::ptrdiff_t num_chars =
      std::ranges::count_if(word, [](char c) { return !is_continuation(c); });
  bool known = num_chars <= options_.max_chars;
  std::string_view rest = word;
  while (known && !rest.empty()) {
    const ByteTrie& trie = rest.size() == word.size() ? first_ : continuing_;
    const ByteTrie::Match match = trie.longest_prefix(rest);
    known = match.length != 0;
    if (known) ids.push_back(match.value);
    rest.remove_prefix(match.length);
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(known_or_fail(options_.unknown, word));
}

WordLevel::WordLevel(std::span<const std::string> tokens, Id unknown)
    : words_(trie_of(tokens, "")), unknown_(unknown) {}

void WordLevel::encode(const WordSource& source, std::vector<Id>& ids) const {
  encode_cached(caches_, source, ids, [this](std::string_view word, std::vector<Id>& out) {
    const Id id = words_.find(word);
    out.push_back(id >= 0 ? id : known_or_fail(unknown_, word));
  });
}

}  // namespace meshwright::tokenizers
