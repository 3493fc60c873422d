// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/byte_trie.h"

#include <algorithm>

#include "meshwright/base/check.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::uint64_t kEmpty = 511;  // a label that no byte equals
constexpr std::size_t kBlock = 256;
constexpr std::size_t kOpenBlocks = 16;  // older blocks get no more nodes
constexpr int kTries = 128;              // before a node with several children gets a new block
constexpr std::size_t kMaxUnits = std::size_t{1} << 27;

// The slots of the double array: which are free, and which bases are taken. Two nodes never share
// a base, so the label of a unit identifies its parent.
class Slots {
 public:
  Slots() : units(kBlock, kEmpty), next_(kBlock), previous_(kBlock), base_taken_(kBlock, true) {}

  // Returns a base for which the slots of all labels are free, and takes them.
  std::size_t take(const std::vector<unsigned char>& labels) {
    int tries = 0;
    for (std::size_t slot = next_[0]; slot != 0 && tries < kTries; slot = next_[slot], ++tries) {
      const std::size_t base = slot ^ labels[0];
      if (fits(base, labels)) return occupy(base, labels);
    }
    const std::size_t block = add_block();
    return occupy(block, labels);
  }

  std::vector<std::uint64_t> units;

 private:
  bool fits(std::size_t base, const std::vector<unsigned char>& labels) const {
    if (base_taken_[base]) return false;
    for (const unsigned char label : labels)
      if (!is_free(base ^ label)) return false;
    return true;
  }

  std::size_t occupy(std::size_t base, const std::vector<unsigned char>& labels) {
    base_taken_[base] = true;
    for (const unsigned char label : labels)
      unlink(base ^ label);
    return base;
  }

  // A free slot is its neighbours' neighbour; slot 0 is the head of the list and never free.
  bool is_free(std::size_t slot) const { return next_[slot] != slot; }

  void unlink(std::size_t slot) {
    next_[previous_[slot]] = next_[slot];
    previous_[next_[slot]] = previous_[slot];
    next_[slot] = previous_[slot] = static_cast<std::uint32_t>(slot);
  }

  std::size_t add_block() {
    const std::size_t begin = units.size();
    if (begin + kBlock > kMaxUnits)
      fail(ErrorCode::unimplemented, "trie: the keys need more than ", kMaxUnits, " nodes");
    if (begin >= (kOpenBlocks + 1) * kBlock) close_block(begin - kOpenBlocks * kBlock);
    units.resize(begin + kBlock, kEmpty);
    next_.resize(begin + kBlock);
    previous_.resize(begin + kBlock);
    base_taken_.resize(begin + kBlock, false);
    for (std::size_t slot = begin; slot < begin + kBlock; ++slot) {
      const std::uint32_t last = previous_[0];
      next_[last] = previous_[0] = static_cast<std::uint32_t>(slot);
      previous_[slot] = last;
      next_[slot] = 0;
    }
    return begin;
  }

  void close_block(std::size_t begin) {
    for (std::size_t slot = begin; slot < begin + kBlock; ++slot)
      if (is_free(slot)) unlink(slot);
  }

  std::vector<std::uint32_t> next_, previous_;
  std::vector<bool> base_taken_;
};

}  // namespace

// Places the nodes depth first, so that the nodes of a key lie close together.
class ByteTrieBuilder {
 public:
  explicit ByteTrieBuilder(const std::vector<ByteTrie::Entry>& entries) : entries_(entries) {}

  std::uint64_t build() {
    const std::uint64_t root = children({0, entries_.size(), 0, 0});
    while (!pending_.empty()) {
      const Range range = pending_.back();
      pending_.pop_back();
      slots_.units[range.slot] |= children(range);
    }
    return root | kEmpty;
  }

  std::vector<std::uint64_t> take_units() { return std::move(slots_.units); }

 private:
  // Entries that share their first `depth` bytes, the node of which is in `slot`.
  struct Range {
    std::size_t begin = 0, end = 0, depth = 0, slot = 0;
  };

  // Returns the value and the base of the node, and queues its children.
  std::uint64_t children(Range range) {
    std::uint64_t bits = 0;
    if (range.begin < range.end && entries_[range.begin].key.size() == range.depth) {
      MW_CHECK(range.depth > 0, "trie: an empty key");
      bits = static_cast<std::uint64_t>(entries_[range.begin].value + 1) << 36;
      ++range.begin;
    }
    if (range.begin == range.end) return bits;
    labels_.clear();
    starts_.clear();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      MW_CHECK(entries_[i].key.size() > range.depth, "trie: key '", entries_[i].key,
               "' occurs twice");
      const auto label = static_cast<unsigned char>(entries_[i].key[range.depth]);
      if (!labels_.empty() && labels_.back() == label) continue;
      labels_.push_back(label);
      starts_.push_back(i);
    }
    starts_.push_back(range.end);
    const std::size_t base = slots_.take(labels_);
    for (std::size_t i = labels_.size(); i-- > 0;) {
      slots_.units[base ^ labels_[i]] = labels_[i];
      pending_.push_back({starts_[i], starts_[i + 1], range.depth + 1, base ^ labels_[i]});
    }
    return bits | std::uint64_t{base} << 9;
  }

  const std::vector<ByteTrie::Entry>& entries_;
  Slots slots_;
  std::vector<Range> pending_;
  std::vector<unsigned char> labels_;
  std::vector<std::size_t> starts_;
};

ByteTrie::ByteTrie(std::vector<Entry> entries) {
  for (const Entry& entry : entries)
    MW_CHECK(entry.value >= 0 && entry.value <= kMaxValue, "trie: value ", entry.value,
             " is out of range");
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  ByteTrieBuilder builder(entries);
  root_ = Node(builder.build());
  units_ = builder.take_units();
}

ByteTrie::Match ByteTrie::longest_prefix(std::string_view text) const {
  Match match;
  Node node = root_;
  for (std::size_t i = 0; i < text.size() && step(node, text[i]); ++i)
    if (node.value() >= 0) match = {i + 1, node.value()};
  return match;
}

std::int32_t ByteTrie::find(std::string_view key) const {
  Node node = root_;
  for (const char byte : key)
    if (!step(node, byte)) return -1;
  return key.empty() ? -1 : node.value();
}

}  // namespace meshwright::tokenizers
