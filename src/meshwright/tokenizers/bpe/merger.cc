// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/merger.h"

#include <algorithm>
#include <functional>

namespace meshwright::tokenizers {
namespace {

unsigned byte_at(std::string_view word, std::size_t i) {
  return static_cast<unsigned char>(word[i]);
}

}  // namespace

Merger::Merger(const TokenIndex& index,
               const MergeTable& merges,
               const std::array<Id, 256>& byte_ids,
               const std::array<Id, 256>& last_byte_ids)
    : index_(&index),
      merges_(&merges),
      byte_ids_(byte_ids),
      last_byte_ids_(last_byte_ids),
      byte_pairs_(256 * 256, kNoRank),
      every_byte_is_a_token_(byte_ids == last_byte_ids &&
                             std::ranges::find(byte_ids, kNoId) == byte_ids.end()) {
  for (unsigned i = 0; i < byte_pairs_.size(); ++i)
    update(i >> 8, i & 0xff);
}

void Merger::update(unsigned left_byte, unsigned right_byte) {
  const Id left = byte_ids_[left_byte], right = byte_ids_[right_byte];
  if (left != kNoId && right != kNoId)
    byte_pairs_[left_byte << 8 | right_byte] = merges_->rank(left, right);
}

std::size_t Merger::encode_short(std::string_view word, Id* ids) const {
  std::array<Rank, kShort> ranks;  // of each token with the next
  std::size_t count = 0;
  if (every_byte_is_a_token_) {
    count = word.size();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      ids[i] = byte_ids_[byte_at(word, i)];
      ranks[i] = byte_pairs_[byte_at(word, i) << 8 | byte_at(word, i + 1)];
    }
    ids[count - 1] = byte_ids_[byte_at(word, count - 1)];
  } else {
    for (std::size_t i = 0; i < word.size(); ++i) {
      const Id id = (i + 1 < word.size() ? byte_ids_ : last_byte_ids_)[byte_at(word, i)];
      if (id != kNoId) ids[count++] = id;
    }
    for (std::size_t i = 0; i + 1 < count; ++i)
      ranks[i] = merges_->rank(ids[i], ids[i + 1]);
  }
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      best = ranks[i] < ranks[best] ? i : best;
    if (ranks[best] == kNoRank) break;
    ids[best] = merges_->merged(ranks[best]);
    --count;
    for (std::size_t i = best + 1; i < count; ++i)
      ids[i] = ids[i + 1];
    for (std::size_t i = best; i + 1 < count; ++i)
      ranks[i] = ranks[i + 1];
    if (best > 0) ranks[best - 1] = merges_->rank(ids[best - 1], ids[best]);
    if (best + 1 < count) ranks[best] = merges_->rank(ids[best], ids[best + 1]);
  }
  return count;
}

void Merger::append(std::string_view word, std::vector<Id>& ids) const {
  if (word.size() <= kShort) {
    std::array<Id, kShort> tokens;
    const std::size_t count = encode_short(word, tokens.data());
    ids.insert(ids.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
    return;
  }
  const std::size_t before = ids.size();
  if (every_byte_is_a_token_ && append_by_windows(word, ids)) return;
  ids.resize(before);
  append_by_heap(word, ids);
}

// A sequence of tokens is the encoding of its bytes if and only if each pair of neighbours is the
// encoding of the pair's bytes: the first merge across a boundary would also be made in the pair
// alone. So a long word is encoded by windows, and the pair at each seam is checked.
bool Merger::append_by_windows(std::string_view word, std::vector<Id>& ids) const {
  constexpr std::size_t kWidest = 4096;
  const std::size_t first = ids.size();
  std::size_t width = 64;
  std::vector<Id> tokens;
  while (!word.empty()) {
    if (width > kWidest) return false;
    const std::string_view window = word.substr(0, width);
    tokens.clear();
    if (window.size() <= kShort)
      append(window, tokens);
    else
      append_by_heap(window, tokens);
    // The last tokens of a window depend on what follows.
    const std::size_t certain = window.size() == word.size() ? width : width - width / 4;
    std::size_t kept = 0, bytes = 0;
    while (kept < tokens.size() && bytes + index_->length(tokens[kept]) <= certain)
      bytes += index_->length(tokens[kept++]);
    if (kept == 0) {
      width *= 2;
    } else if (ids.size() > first && !is_boundary(ids.back(), tokens.front())) {
      const std::size_t length = index_->length(ids.back());
      word = {word.data() - length, word.size() + length};
      ids.pop_back();
      width *= 2;
    } else {
      ids.insert(ids.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(kept));
      word.remove_prefix(bytes);
    }
  }
  return true;
}

bool Merger::is_boundary(Id left, Id right) const {
  std::string both(index_->bytes(left));
  both += index_->bytes(right);
  std::vector<Id> tokens;
  if (both.size() <= kShort)
    append(both, tokens);
  else
    append_by_heap(both, tokens);
  return tokens.size() == 2 && tokens[0] == left && tokens[1] == right;
}

void Merger::append_by_heap(std::string_view word, std::vector<Id>& ids) const {
  struct Symbol {
    Id id;
    Rank rank;  // with the next one
    std::uint32_t previous, next;
  };
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const Id id = (i + 1 < word.size() ? byte_ids_ : last_byte_ids_)[byte_at(word, i)];
    const auto at = static_cast<std::uint32_t>(symbols.size());
    if (id != kNoId) symbols.push_back({id, kNoRank, at - 1, at + 1});
  }
  const auto end = static_cast<std::uint32_t>(symbols.size());
  // Merges by rank, then by position. One that no longer has its rank is outdated.
  std::vector<std::uint64_t> heap;
  const auto look_up = [&](std::uint32_t at) {
    Symbol& symbol = symbols[at];
    symbol.rank = symbol.next == end ? kNoRank : merges_->rank(symbol.id, symbols[symbol.next].id);
    if (symbol.rank == kNoRank) return false;
    heap.push_back(std::uint64_t{symbol.rank} << 32 | at);
    return true;
  };
  const auto update = [&](std::uint32_t at) {
    if (look_up(at)) std::ranges::push_heap(heap, std::greater<>());
  };
  for (std::uint32_t at = 0; at < end; ++at)
    look_up(at);
  std::ranges::make_heap(heap, std::greater<>());
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater<>());
    const auto at = static_cast<std::uint32_t>(heap.back());
    const auto rank = static_cast<Rank>(heap.back() >> 32);
    heap.pop_back();
    Symbol& symbol = symbols[at];
    if (symbol.rank != rank) continue;
    Symbol& merged = symbols[symbol.next];
    symbol.id = merges_->merged(rank);
    merged.rank = kNoRank;
    symbol.next = merged.next;
    if (symbol.next != end) symbols[symbol.next].previous = at;
    update(at);
    if (at != 0) update(symbol.previous);
  }
  for (std::uint32_t at = 0; at != end; at = symbols[at].next)
    ids.push_back(symbols[at].id);
}

}  // namespace meshwright::tokenizers
