// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/spm_bpe.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

using Kind = SpmBpePiece::Kind;

ByteTrie user_defined_trie(const std::vector<SpmBpePiece>& pieces) {
  std::vector<ByteTrie::Entry> entries;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].kind == Kind::user_defined)
      entries.push_back({pieces[i].text, static_cast<std::int32_t>(i)});
  return ByteTrie(std::move(entries));
}

}  // namespace

SpmMerges SpmBpe::make_merges(const std::vector<SpmBpePiece>& pieces) {
  std::vector<SpmMerges::Piece> merged;
  for (const SpmBpePiece& piece : pieces) {
    const bool takes_part = piece.kind == Kind::normal || piece.kind == Kind::unused;
    merged.push_back({takes_part ? std::string_view(piece.text) : "", piece.score});
  }
  return SpmMerges(merged);
}

SpmBpe::SpmBpe(const std::vector<SpmBpePiece>& pieces, UnknownRule unknown)
    : merges_(make_merges(pieces)),
      user_defined_(user_defined_trie(pieces)),
      unknown_(std::move(unknown)) {
  for (const SpmBpePiece& piece : pieces) {
    // An unused piece that cannot be taken apart is unknown.
    const bool is_token = piece.kind == Kind::normal || piece.kind == Kind::user_defined;
    outputs_.push_back(is_token ? static_cast<Id>(outputs_.size()) : kUnknown);
    lengths_.push_back(static_cast<std::uint32_t>(piece.text.size()));
    if (piece.kind == Kind::inactive) continue;
    breaks_.join(piece.text);
    if (piece.kind == Kind::user_defined)
      begins_user_defined_[static_cast<unsigned char>(piece.text[0])] = true;
    if (piece.kind == Kind::unused) unused_.resize(merges_.texts().size());
  }
  for (std::size_t i = pieces.size(); i < merges_.texts().size(); ++i) {
    outputs_.push_back(kUnknown);
    lengths_.push_back(static_cast<std::uint32_t>(merges_.texts()[i].size()));
  }
  if (unused_.empty()) return;
  // How an unused piece is taken apart depends on the whole text.
  breaks_.join_all();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    unused_[i] = pieces[i].kind == Kind::unused;
}

void SpmBpe::encode(std::string_view text, Memory& memory, std::vector<Id>& ids) const {
  MW_CHECK(text.size() < std::size_t{INT32_MAX}, "BPE: a text of ", text.size(), " bytes");
  TokenAppender out(unknown_, ids);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = breaks_.end_of_word(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    if (word.size() > WordCache::kMaxBytes || !unused_.empty()) {
      encode_word(word, memory, out);
      continue;
    }
    const WordCache::Key key = WordCache::key(word);
    if (const WordCache::Entry* entry = memory.cache.find(key)) {
      out.append_word(entry->view());
      continue;
    }
    memory.word.clear();
    TokenAppender word_out(unknown_, memory.word);
    encode_word(word, memory, word_out);
    if (memory.word.size() <= WordCache::kMaxIds) memory.cache.insert(key, memory.word, 0);
    out.append_word(memory.word);
  }
}

void SpmBpe::encode_word(std::string_view word, Memory& memory, TokenAppender& out) const {
  split(word, memory.symbols);
  if (memory.symbols.size() <= kShortWord && unused_.empty()) {
    memory.symbols.resize(merge_short(memory.symbols));
    for (const SpmSymbol symbol : memory.symbols)
      append(symbol, word, out);
    return;
  }
  merge_long(memory);
  for (std::int32_t at = 0; at >= 0; at = memory.next[static_cast<std::size_t>(at)])
    append_parts(memory.symbols[static_cast<std::size_t>(at)], word, memory, out);
}

void SpmBpe::split(std::string_view word, std::vector<SpmSymbol>& symbols) const {
  symbols.clear();
  while (!word.empty()) {
    SpmSymbol symbol = SpmMerges::kNone;
    word.remove_prefix(first_symbol(word, symbol));
    symbols.push_back(symbol);
  }
}

// Finds the user-defined piece or character that the text begins with. Returns its length.
std::size_t SpmBpe::first_symbol(std::string_view text, SpmSymbol& symbol) const {
  if (begins_user_defined_[static_cast<unsigned char>(text[0])]) {
    const ByteTrie::Match match = user_defined_.longest_prefix(text);
    symbol = static_cast<SpmSymbol>(match.value);
    if (match.length > 0) return match.length;
  }
  const std::size_t length = char_length(text[0]);
  symbol = merges_.character(text.substr(0, length));
  return length;
}

// Returns the number of symbols left at the front.
std::size_t SpmBpe::merge_short(std::vector<SpmSymbol>& symbols) const {
  std::array<SpmSymbol, kShortWord> formed;
  std::array<std::uint32_t, kShortWord> ranks;
  std::size_t size = symbols.size();
  const auto consider = [&](std::size_t left) {
    formed[left] = merges_.merged(symbols[left], symbols[left + 1]);
    ranks[left] = merges_.rank(formed[left]);
  };
  for (std::size_t i = 0; i + 1 < size; ++i)
    consider(i);
  while (size > 1) {
    const auto* best = std::min_element(ranks.data(), ranks.data() + size - 1);
    if (*best == SpmMerges::kNoRank) break;
    const auto at = static_cast<std::size_t>(best - ranks.data());
    symbols[at] = formed[at];
    --size;
    for (std::size_t i = at + 1; i < size; ++i) {
      symbols[i] = symbols[i + 1];
      formed[i] = formed[i + 1];
      ranks[i] = ranks[i + 1];
    }
    if (at > 0) consider(at - 1);
    if (at + 1 < size) consider(at);
  }
  return size;
}

void SpmBpe::merge_long(Memory& memory) const {
  const std::size_t size = memory.symbols.size();
  memory.formed.assign(size, SpmMerges::kNone);
  memory.next.resize(size);
  memory.previous.resize(size);
  if (!unused_.empty())
    memory.parts.assign(merges_.texts().size(), {SpmMerges::kNone, SpmMerges::kNone});
  for (std::size_t i = 0; i < size; ++i) {
    memory.previous[i] = static_cast<std::int32_t>(i) - 1;
    memory.next[i] = i + 1 < size ? static_cast<std::int32_t>(i) + 1 : -1;
  }
  for (std::size_t i = 0; i + 1 < size; ++i)
    consider(memory, static_cast<std::int32_t>(i));
  while (!memory.agenda.empty()) {
    const SpmAgenda::Entry entry = memory.agenda.pop();
    const std::size_t left = entry.position;
    // Skips pairs of which a symbol has been merged with another one since.
    if (merges_.rank(memory.formed[left]) != entry.rank) continue;
    const auto right = static_cast<std::size_t>(memory.next[left]);
    memory.symbols[left] = memory.formed[left];
    memory.formed[left] = memory.formed[right] = SpmMerges::kNone;
    const std::int32_t after = memory.next[right];
    memory.next[left] = after;
    if (after >= 0) memory.previous[static_cast<std::size_t>(after)] = static_cast<int>(left);
    if (memory.previous[left] >= 0) consider(memory, memory.previous[left]);
    if (after >= 0) consider(memory, static_cast<std::int32_t>(left));
  }
  memory.agenda.clear();
}

// Puts the pair of the symbol at `left` and the next one on the agenda if it forms a piece.
void SpmBpe::consider(Memory& memory, std::int32_t left) const {
  const auto at = static_cast<std::size_t>(left);
  const SpmSymbol first = memory.symbols[at];
  const SpmSymbol second = memory.symbols[static_cast<std::size_t>(memory.next[at])];
  const SpmSymbol formed = merges_.merged(first, second);
  memory.formed[at] = formed;
  if (formed == SpmMerges::kNone) return;
  memory.agenda.push({merges_.rank(formed), static_cast<std::uint32_t>(left)});
  if (!unused_.empty() && unused_[formed]) memory.parts[formed] = {first, second};
}

// Appends a symbol and removes its text from the front of `text`.
void SpmBpe::append(SpmSymbol symbol, std::string_view& text, TokenAppender& out) const {
  const bool is_none = symbol == SpmMerges::kNone;
  const std::size_t length = is_none ? char_length(text[0]) : lengths_[symbol];
  const Id id = is_none ? kUnknown : outputs_[symbol];
  if (id == kUnknown)
    out.append_unknown(text.substr(0, length));
  else
    out.append(id);
  text.remove_prefix(length);
}

// Appends a symbol, or the parts that an unused piece was formed of.
void SpmBpe::append_parts(SpmSymbol symbol,
                          std::string_view& text,
                          Memory& memory,
                          TokenAppender& out) const {
  memory.stack.assign(1, symbol);
  while (!memory.stack.empty()) {
    const SpmSymbol top = memory.stack.back();
    memory.stack.pop_back();
    const bool is_unused = top != SpmMerges::kNone && !unused_.empty() && unused_[top];
    if (is_unused && memory.parts[top].first != SpmMerges::kNone) {
      memory.stack.push_back(memory.parts[top].second);
      memory.stack.push_back(memory.parts[top].first);
    } else {
      append(top, text, out);
    }
  }
}

}  // namespace meshwright::tokenizers
