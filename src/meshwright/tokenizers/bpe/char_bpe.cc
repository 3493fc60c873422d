// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/char_bpe.h"

#include <algorithm>
#include <queue>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/tokenizers/bpe/cached_words.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

std::string byte_token(unsigned byte) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

}  // namespace

CharBpe::CharBpe(const CharBpeModel& model)
    : index_(model.tokens),
      merges_(model.merges.size(), model.merges.size()),
      unknown_(model.unknown),
      fuse_unknown_(model.fuse_unknown),
      byte_fallback_(model.byte_fallback),
      ignore_merges_(model.ignore_merges),
      prefix_(model.continuing_prefix),
      suffix_(model.end_of_word_suffix) {
  for (unsigned byte = 0; byte < 256; ++byte)
    byte_tokens_[byte] = index_.find(byte_token(byte));
  for (std::size_t c = 0; c < ascii_.size(); ++c)
    ascii_[c] = index_.find(std::string(1, static_cast<char>(c)));
  add_merges(model);
  find_breaks(model);
}

void CharBpe::add_merges(const CharBpeModel& model) {
  const auto find = [&](std::string_view token) {
    const Id id = index_.find(token);
    if (id == kNoId)
      fail(ErrorCode::invalid_argument, "a merge needs the token '", printable_name(token),
           "', which the vocabulary does not have");
    return id;
  };
  Rank rank = 0;
  for (const auto& [left, right] : model.merges) {
    if (right.size() < prefix_.size())
      fail(ErrorCode::invalid_argument, "a merge has '", printable_name(right),
           "' on the right, which is shorter than the prefix of continuing tokens");
    std::string merged(left);
    merged += right.substr(prefix_.size());
    merges_.add(find(left), find(right), rank++, find(merged));
  }
}

// Words are not taken apart where tokens depend on more than the characters that they contain.
void CharBpe::find_breaks(const CharBpeModel& model) {
  const bool all_bytes = std::ranges::none_of(byte_tokens_, [](Id id) { return id == kNoId; });
  has_breaks_ = prefix_.empty() && suffix_.empty() && (!byte_fallback_ || all_bytes);
  for (const auto& [left, right] : model.merges) {
    for (const std::string_view part : {left, right}) {
      const Id id = index_.find(part);
      if (id == unknown_ ||
          (byte_fallback_ && std::ranges::find(byte_tokens_, id) != byte_tokens_.end()))
        has_breaks_ = false;
    }
    breaks_.join(std::string(left) + std::string(right));
  }
}

void CharBpe::encode(const WordSource& source, std::vector<Id>& ids) const {
  std::unique_ptr<BpeCache> segments = caches_.take();
  encode_cached(caches_, source, ids, [&](std::string_view word, std::vector<Id>& out) {
    encode_word(word, *segments, out);
  });
  caches_.give_back(std::move(segments));
}

void CharBpe::encode_word(std::string_view word, BpeCache& cache, std::vector<Id>& ids) const {
  const Id whole = ignore_merges_ ? index_.find(word) : kNoId;
  if (whole != kNoId) return ids.push_back(whole);
  if (has_breaks_ && word.size() > kLongWord) return encode_segments(word, cache, ids);
  encode_whole(word, ids);
}

void CharBpe::encode_segments(std::string_view word, BpeCache& cache, std::vector<Id>& ids) const {
  const std::size_t before = ids.size();
  std::vector<Id> found;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t end = breaks_.end_of_word(word, at);
    const std::string_view segment = word.substr(at, end - at);
    at = end;
    const WordKey key = key_of(segment, word.data() + word.size());
    const std::uint64_t hash = key.hash();
    const BpeCache::Entry& entry = cache.at(key, hash);
    std::span<const Id> tokens;
    if (entry.key == key) tokens = cache.tokens(entry, segment);
    if (tokens.empty()) {
      found.clear();
      encode_whole(segment, found);
      tokens = found;
      if (segment.size() <= BpeCache::kMostBytes && !found.empty())
        cache.insert(segment, key, hash, found);
    }
    const bool fused = fuse_unknown_ && !tokens.empty() && ids.size() > before &&
                       tokens.front() == unknown_ && ids.back() == unknown_;
    ids.insert(ids.end(), tokens.begin() + (fused ? 1 : 0), tokens.end());
  }
}

void CharBpe::encode_whole(std::string_view word, std::vector<Id>& ids) const {
  const std::size_t begin = ids.size();
  append_symbols(word, ids);
  if (ids.size() - begin <= kLongWord)
    merge_short(ids, begin);
  else
    merge_long(ids, begin);
}

Id CharBpe::character(std::string_view text, bool is_first, bool is_last) const {
  const bool has_prefix = !is_first && !prefix_.empty();
  const bool has_suffix = is_last && !suffix_.empty();
  if (!has_prefix && !has_suffix)
    return text.size() == 1 ? ascii_[static_cast<unsigned char>(text[0])] : index_.find(text);
  std::string token = has_prefix ? prefix_ : "";
  token += text;
  if (has_suffix) token += suffix_;
  return index_.find(token);
}

// Appends the tokens of the characters. A pending unknown token is appended before the next known
// character, so after the bytes of characters between them, as `tokenizers` does.
void CharBpe::append_symbols(std::string_view word, std::vector<Id>& symbols) const {
  bool pending = false;
  for (std::size_t at = 0; at < word.size();) {
    const auto length = static_cast<std::size_t>(decode_valid(word.data() + at).length);
    const std::string_view text = word.substr(at, length);
    const bool is_first = at == 0, is_last = at + length == word.size();
    at += length;
    const Id id = character(text, is_first, is_last);
    if (id != kNoId) {
      if (pending) symbols.push_back(*unknown_);
      pending = false;
      symbols.push_back(id);
      continue;
    }
    if (byte_fallback_) {
      std::string spelled = is_first ? "" : prefix_;
      spelled += text;
      if (is_last) spelled += suffix_;
      if (append_bytes(spelled, symbols)) continue;
    }
    if (!unknown_.has_value()) continue;
    if (pending && !fuse_unknown_) symbols.push_back(*unknown_);
    pending = true;
  }
  if (pending) symbols.push_back(*unknown_);
}

bool CharBpe::append_bytes(std::string_view text, std::vector<Id>& symbols) const {
  const auto token = [&](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (std::ranges::any_of(text, [&](char byte) { return token(byte) == kNoId; })) return false;
  for (const char byte : text)
    symbols.push_back(token(byte));
  return true;
}

void CharBpe::merge_short(std::vector<Id>& symbols, std::size_t begin) const {
  std::array<Rank, kLongWord> ranks;
  Id* const ids = symbols.data() + begin;
  std::size_t size = symbols.size() - begin;
  for (std::size_t i = 0; i + 1 < size; ++i)
    ranks[i] = merges_.rank(ids[i], ids[i + 1]);
  while (size > 1) {
    const Rank* best = std::min_element(ranks.data(), ranks.data() + size - 1);
    if (*best == kNoRank) break;
    const auto at = static_cast<std::size_t>(best - ranks.data());
    ids[at] = merges_.merged(*best);
    --size;
    for (std::size_t i = at + 1; i < size; ++i) {
      ids[i] = ids[i + 1];
      ranks[i - 1] = ranks[i];
    }
    if (at > 0) ranks[at - 1] = merges_.rank(ids[at - 1], ids[at]);
    if (at + 1 < size) ranks[at] = merges_.rank(ids[at], ids[at + 1]);
  }
  symbols.resize(begin + size);
}

void CharBpe::merge_long(std::vector<Id>& symbols, std::size_t begin) const {
  struct Pair {
    Rank rank;
    std::size_t left;
    bool operator>(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  const std::size_t size = symbols.size() - begin;
  Id* const ids = symbols.data() + begin;
  // By position: the neighbours. `size` stands for none.
  std::vector<std::size_t> next(size), previous(size);
  std::vector<bool> removed(size);
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue;
  const auto consider = [&](std::size_t left) {
    const Rank rank = merges_.rank(ids[left], ids[next[left]]);
    if (rank != kNoRank) queue.push({rank, left});
  };
  for (std::size_t i = 0; i < size; ++i) {
    next[i] = i + 1;
    previous[i] = i == 0 ? size : i - 1;
  }
  for (std::size_t i = 0; i + 1 < size; ++i)
    consider(i);
  while (!queue.empty()) {
    const Pair top = queue.top();
    queue.pop();
    const std::size_t right = removed[top.left] ? size : next[top.left];
    if (right == size || merges_.rank(ids[top.left], ids[right]) != top.rank) continue;
    ids[top.left] = merges_.merged(top.rank);
    removed[right] = true;
    next[top.left] = next[right];
    if (next[right] != size) previous[next[right]] = top.left;
    if (previous[top.left] != size) consider(previous[top.left]);
    if (next[top.left] != size) consider(top.left);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (!removed[i]) ids[kept++] = ids[i];
  symbols.resize(begin + kept);
}

}  // namespace meshwright::tokenizers
