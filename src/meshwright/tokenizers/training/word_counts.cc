// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/word_counts.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace meshwright::tokenizers {
namespace {

constexpr std::size_t kFirstSlots = 1 << 12;
constexpr std::size_t kChunkBytes = 64 << 10;
constexpr std::uint64_t kSizeMask = ~(std::uint64_t{0xff} << 56);  // of a long key

int shift_for(std::size_t num_slots) {
  return 64 - std::countr_zero(num_slots);
}

}  // namespace

WordCounts::WordCounts() : slots_(kFirstSlots), shift_(shift_for(kFirstSlots)) {}

void WordCounts::add(std::span<const std::string_view> words, const char* end) {
  constexpr std::size_t kBatch = 32;
  std::array<WordKey, kBatch> keys;
  while (!words.empty()) {
    const auto batch = words.first(words.size() < kBatch ? words.size() : kBatch);
    // The slots of large tables come from memory while the keys of other words are computed.
    for (std::size_t i = 0; i < batch.size(); ++i) {
      keys[i] = key_of(batch[i], end);
      __builtin_prefetch(&slots_[keys[i].hash() >> shift_], 1);
    }
    for (std::size_t i = 0; i < batch.size(); ++i)
      add(keys[i], batch[i], 1);
    words = words.subspan(batch.size());
  }
}

void WordCounts::add(std::string_view word, std::int64_t count) {
  add(key_of(word), word, count);
}

void WordCounts::add(const WordCounts& other) {
  // Words come in the order of their hashes: in a table that is too small they would all collide.
  while (size_ + other.size_ > slots_.size() / 4 * 3)
    grow();
  for (const Slot& slot : other.slots_)
    if (slot.count > 0) add(slot.key, word_of(slot), slot.count);
}

std::string_view WordCounts::word_of(const Slot& slot) {
  if (slot.bytes != nullptr) return {slot.bytes, slot.key.high & kSizeMask};
  return {reinterpret_cast<const char*>(&slot.key), slot.key.high >> 56};
}

void WordCounts::add(const WordKey& key, std::string_view word, std::int64_t count) {
  Slot& slot = find(key, word);
  slot.count += count;
  if (slot.count != count) return;
  slot.key = key;
  slot.bytes = key.holds_bytes() ? nullptr : stored(word);
  if (++size_ > slots_.size() / 4 * 3) grow();
}

// Returns the slot of a word, or the free slot where it belongs.
WordCounts::Slot& WordCounts::find(const WordKey& key, std::string_view word) {
  for (std::size_t at = key.hash() >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[at];
    if (slot.count == 0) return slot;
    if (slot.key == key && (key.holds_bytes() || word_of(slot) == word)) return slot;
  }
}

void WordCounts::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  shift_ = shift_for(slots_.size());
  for (const Slot& slot : old)
    if (slot.count > 0) find(slot.key, word_of(slot)) = slot;
}

const char* WordCounts::stored(std::string_view word) {
  if (word.size() > chunk_left_) {
    chunk_left_ = word.size() > kChunkBytes ? word.size() : kChunkBytes;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_left_));
    chunk_at_ = chunks_.back().get();
  }
  std::memcpy(chunk_at_, word.data(), word.size());
  chunk_left_ -= word.size();
  return std::exchange(chunk_at_, chunk_at_ + word.size());
}

}  // namespace meshwright::tokenizers
