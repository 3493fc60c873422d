// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/merge_learner.h"

#include <algorithm>
#include <limits>

namespace meshwright::tokenizers {
namespace {

constexpr std::int64_t kNumBytes = 256;

}  // namespace

MergeLearner::MergeLearner(const WordCounts& words,
                           const std::vector<Id>& byte_ids,
                           TrainedVocabulary& vocabulary,
                           const BpeTrainingOptions& options)
    : cells_(words, byte_ids),
      vocabulary_(vocabulary),
      min_count_(std::max<std::int64_t>(1, options.min_count)),
      max_length_(options.max_token_bytes.value_or(std::numeric_limits<std::int64_t>::max())) {
  for (const Id id : byte_ids)
    set_length(id, 1);
  words.for_each([&](std::string_view word, std::int64_t count) {
    num_text_tokens_ += std::ssize(word) * count;
  });
  queue_pairs_of_bytes(*std::ranges::min_element(byte_ids));
}

std::vector<TokenPair> MergeLearner::learn(std::size_t vocab_size) {
  std::vector<TokenPair> out;
  while (vocabulary_.size() < vocab_size && !queue_.empty()) {
    std::ranges::pop_heap(queue_, std::less());
    Candidate top = std::move(queue_.back());
    queue_.pop_back();
    const std::int64_t count = pairs_[top.number].count;
    if (count != top.count) {
      top.count = count;
      push(std::move(top));
      continue;
    }
    if (count < min_count_) break;
    merge(top);
    out.push_back(top.pair);
  }
  return out;
}

// Byte ids are consecutive.
void MergeLearner::queue_pairs_of_bytes(Id first) {
  struct Found {
    std::int64_t count = 0;
    std::vector<Place> places = {};
    std::size_t num_places = 0;
  };
  std::vector<Found> found(kNumBytes * kNumBytes);
  const auto at = [&](TokenPair pair) -> Found& {
    return found[static_cast<std::size_t>((pair.left - first) * kNumBytes + pair.right - first)];
  };
  for_each_pair([&](TokenPair pair, Place place) {
    at(pair).count += cells_.count(place.word);
    ++at(pair).num_places;
  });
  // With room for exactly its places, each list takes the least memory.
  for (Found& pair : found)
    pair.places.reserve(pair.num_places);
  for_each_pair([&](TokenPair pair, Place place) { at(pair).places.push_back(place); });
  for (Id left = first; left < first + kNumBytes; ++left) {
    for (Id right = first; right < first + kNumBytes; ++right) {
      const TokenPair pair = {left, right};
      if (at(pair).count == 0) continue;
      const std::uint32_t number = pairs_.number(pair);
      pairs_[number].count = at(pair).count;
      pairs_[number].places = std::move(at(pair).places);
      queue(number);
    }
  }
}

template <typename Use>
void MergeLearner::for_each_pair(const Use& use) const {
  for (TokenCells::Word word = 0; word < cells_.num_words(); ++word)
    for (TokenCells::Cell cell = cells_.first_cell(word); cells_[cell + 1] != TokenCells::kEdge;
         ++cell)
      use(TokenPair{cells_[cell], cells_[cell + 1]}, Place{cell, word});
}

void MergeLearner::push(Candidate candidate) {
  queue_.push_back(std::move(candidate));
  std::ranges::push_heap(queue_, std::less());
}

// Queues a pair with its places.
void MergeLearner::queue(std::uint32_t number) {
  PairState& state = pairs_[number];
  std::vector<Place> places = std::exchange(state.places, {});
  if (state.count <= 0) return;
  push({state.count, number, state.pair, std::move(places)});
}

void MergeLearner::merge(const Candidate& candidate) {
  const TokenPair pair = candidate.pair;
  merged_ = vocabulary_.add(vocabulary_[pair.left] + vocabulary_[pair.right]);
  set_length(merged_, length(pair.left) + length(pair.right));
  for (const Place& place : candidate.places)
    merge_at(pair, place);
  for (const std::uint32_t number : changed_)
    queue(number);
  changed_.clear();
}

// Does nothing if the pair is no longer at this place.
void MergeLearner::merge_at(TokenPair pair, Place place) {
  const TokenCells::Cell first = place.cell;
  const TokenCells::Cell right = first + length(pair.left);
  if (cells_[first] != pair.left || cells_[right] != pair.right) return;
  const TokenCells::Cell end = right + length(pair.right);
  const std::int64_t count = cells_.count(place.word);
  const Id before = cells_[first - 1], after = cells_[end];
  num_text_tokens_ -= count;
  if (before >= 0) {
    remove({before, pair.left}, count);
    add({before, merged_}, count, {first - length(before), place.word});
  }
  cells_.merge(first, right, end - 1, merged_);
  if (after >= 0) {
    remove({pair.right, after}, count);
    add({merged_, after}, count, place);
  }
}

void MergeLearner::add(TokenPair pair, std::int64_t count, Place place) {
  if (std::int64_t{length(pair.left)} + length(pair.right) > max_length_) return;
  const std::uint32_t number = pairs_.number(pair);
  PairState& state = pairs_[number];
  state.count += count;
  if (state.places.empty()) changed_.push_back(number);
  state.places.push_back(place);
}

void MergeLearner::remove(TokenPair pair, std::int64_t count) {
  pairs_[pairs_.number(pair)].count -= count;
}

void MergeLearner::set_length(Id id, TokenCells::Cell length) {
  const auto at = static_cast<std::size_t>(id);
  if (at >= lengths_.size()) lengths_.resize(at + 1);
  lengths_[at] = length;
}

}  // namespace meshwright::tokenizers
