// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unigram/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshwright/base/check.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

ByteTrie trie_of(const std::vector<UnigramPiece>& pieces) {
  std::vector<ByteTrie::Entry> entries;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (pieces[id].active) entries.push_back({pieces[id].text, static_cast<std::int32_t>(id)});
  return ByteTrie(std::move(entries));
}

constexpr double kMaxSum = 100000;  // of floats: a greater sum is set back to 0

double to_float(double value) {
  return static_cast<double>(static_cast<float>(value));
}

}  // namespace

Unigram::Unigram(const std::vector<UnigramPiece>& pieces, UnigramOptions options)
    : trie_(trie_of(pieces)), options_(std::move(options)) {
  for (const UnigramPiece& piece : pieces) {
    MW_CHECK(std::isfinite(piece.score), "unigram: the score of piece '", piece.text, "' is ",
             piece.score);
    scores_.push_back(piece.score);
    if (!piece.active) continue;
    breaks_.join(piece.text);
    longest_ = std::max(longest_, piece.text.size());
  }
}

void Unigram::encode(std::string_view text, Memory& memory, std::vector<Id>& ids) const {
  MW_CHECK(text.size() < std::size_t{INT32_MAX}, "unigram: a text of ", text.size(), " bytes");
  TokenAppender out(options_.unknown, ids);
  double sum = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = breaks_.end_of_word(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    begin = end;
    if (word.size() > WordCache::kMaxBytes) {
      sum = encode_word(word, sum, memory, out);
      continue;
    }
    const WordCache::Key key = WordCache::key(word);
    const WordCache::Entry* entry = memory.cache.find(key);
    if (entry == nullptr) {
      find_best<Sums::exact>(word, 0, memory);
      backtrack(word, memory);
      memory.word.clear();
      for (const Memory::Token& token : memory.tokens)
        memory.word.push_back(token.id);
      const double limit = this->limit(memory);
      if (limit > 0 && memory.word.size() <= WordCache::kMaxIds)
        entry = memory.cache.insert(key, memory.word, static_cast<float>(limit));
    }
    if (entry == nullptr || std::abs(sum) >= double{entry->limit}) {
      sum = encode_word(word, sum, memory, out);
      continue;
    }
    for (const Id id : entry->view()) {
      out.append(id);
      sum = add(sum, id);
    }
  }
}

// Returns the sum after another token.
double Unigram::add(double sum, Id id) const {
  const double score =
      id == kUnknown ? options_.unknown_score : scores_[static_cast<std::size_t>(id)];
  return options_.float_sums ? to_float(sum + score) : sum + score;
}

// Appends the tokens of a word that follows text of the given sum. Returns the sum after it.
double Unigram::encode_word(std::string_view word,
                            double sum,
                            Memory& memory,
                            TokenAppender& out) const {
  if (options_.float_sums)
    find_best<Sums::floats>(word, sum, memory);
  else
    find_best<Sums::doubles>(word, sum, memory);
  backtrack(word, memory);
  for (const Memory::Token& token : memory.tokens) {
    if (token.id == kUnknown)
      out.append_unknown(word.substr(static_cast<std::size_t>(token.begin),
                                     static_cast<std::size_t>(token.end - token.begin)));
    else
      out.append(token.id);
  }
  return memory.best[word.size()].sum;
}

// If sums are equal, the path found first wins: the one with the longest last piece.
template <Unigram::Sums kSums>
void Unigram::offer(Memory::Best& best, double sum, std::int32_t begin, Id id) {
  if (kSums == Sums::floats) sum = to_float(sum);
  if (best.begin >= 0 && !(sum > best.sum)) {
    if (kSums == Sums::exact) best.second = std::max(best.second, sum);
    return;
  }
  if (kSums == Sums::exact) best.second = best.sum;
  best.sum = sum;
  best.begin = begin;
  best.id = id;
}

template <Unigram::Sums kSums>
void Unigram::find_best(std::string_view word, double sum, Memory& memory) const {
  // The second-best sum becomes the initial best sum of a position.
  constexpr double kNoPath = -std::numeric_limits<double>::infinity();
  memory.best.assign(word.size() + 1, {.sum = kNoPath, .second = kNoPath});
  memory.best[0].sum = sum;
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t length = std::min(char_length(word[begin]), word.size() - begin);
    if (kSums == Sums::floats && std::abs(memory.best[begin].sum) > kMaxSum)
      reset_sums(begin, memory);
    const double before = memory.best[begin].sum;
    const auto from = static_cast<std::int32_t>(begin);
    bool has_character = false;
    ByteTrie::Node node = trie_.root();
    for (std::size_t end = begin; end < word.size() && trie_.step(node, word[end]);) {
      ++end;
      const std::int32_t id = node.value();
      if (id < 0) continue;
      offer<kSums>(memory.best[end], before + scores_[static_cast<std::size_t>(id)], from, id);
      has_character = has_character || end - begin == length;
    }
    if (!has_character) {
      const double unknown = before + options_.unknown_score;
      offer<kSums>(memory.best[begin + length], unknown, from, kUnknown);
    }
    begin += length;
  }
}

// Sets the sum at `begin` to 0 and lowers those of the paths that go beyond as much.
void Unigram::reset_sums(std::size_t begin, Memory& memory) const {
  const double sum = memory.best[begin].sum;
  const std::size_t end = std::min(begin + longest_ + 1, memory.best.size());
  for (std::size_t i = begin; i < end; ++i)
    if (i == begin || memory.best[i].begin >= 0)
      memory.best[i].sum = to_float(memory.best[i].sum - sum);
}

void Unigram::backtrack(std::string_view word, Memory& memory) const {
  memory.tokens.clear();
  for (auto end = static_cast<std::int32_t>(word.size()); end > 0;) {
    const Memory::Best& best = memory.best[static_cast<std::size_t>(end)];
    memory.tokens.push_back({best.begin, end, best.id});
    end = best.begin;
  }
  std::reverse(memory.tokens.begin(), memory.tokens.end());
}

// Returns the absolute value of the sum before a word below which rounding cannot change the
// tokens that exact sums give, or 0.
//
// After n characters, a rounded sum differs from the exact one by at most n times half a unit in
// the last place of the largest sum. So a choice is safe if the two best exact sums differ by more
// than n + 1 units. A unit is at most epsilon times the value.
double Unigram::limit(const Memory& memory) const {
  double least_gap = std::numeric_limits<double>::infinity(), largest = 0;
  for (const Memory::Best& best : memory.best)
    if (best.begin >= 0) largest = std::max(largest, std::abs(best.sum));
  for (const Memory::Token& token : memory.tokens) {
    if (token.id == kUnknown) return 0;
    const Memory::Best& best = memory.best[static_cast<std::size_t>(token.end)];
    least_gap = std::min(least_gap, (best.sum - best.second) / static_cast<double>(token.end + 1));
  }
  // Exact sums are sums of doubles, with errors of their own: hence the factor of two, which in
  // floats is only a reserve.
  const double epsilon = options_.float_sums ? std::numeric_limits<float>::epsilon()
                                             : std::numeric_limits<double>::epsilon();
  const double most = options_.float_sums ? kMaxSum : 1e30;
  return std::min(least_gap / (2 * epsilon), most) - largest;
}

}  // namespace meshwright::tokenizers
