// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace meshwright::tokenizers {

/// The pairs that wait to be merged: a priority queue of (rank, position).
///
/// Each rank has a list in ascending order of position, which most pairs are appended to in
/// constant time. A pair that comes to the left of its list's last one goes to a heap.
class SpmAgenda {
 public:
  struct Entry {
    std::uint32_t rank = 0;
    std::uint32_t position = 0;
  };

  explicit SpmAgenda(std::uint32_t num_ranks) : lists_(num_ranks) {}

  void push(Entry entry) {
    List& list = lists_[entry.rank];
    const auto index = static_cast<std::uint32_t>(links_.size());
    if (list.first == kEnd) {
      list.first = index;
      ranks_.push(entry.rank);
    } else if (links_[list.last].position > entry.position) {
      late_.push(std::uint64_t{entry.rank} << 32 | entry.position);
      return;
    } else {
      links_[list.last].next = index;
    }
    list.last = index;
    links_.push_back({entry.position, kEnd});
  }

  bool empty() const { return ranks_.empty() && late_.empty(); }

  /// Removes and returns the least entry. The agenda must not be empty.
  Entry pop() {
    if (ranks_.empty() || (!late_.empty() && late_.top() < first_in_lists())) {
      const std::uint64_t key = late_.top();
      late_.pop();
      return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
    }
    List& list = lists_[ranks_.top()];
    const Entry entry = {ranks_.top(), links_[list.first].position};
    list.first = links_[list.first].next;
    if (list.first == kEnd) ranks_.pop();
    return entry;
  }

  /// Prepares an empty agenda for the next text.
  void clear() { links_.clear(); }

 private:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  struct List {
    std::uint32_t first = kEnd, last = kEnd;
  };
  struct Link {
    std::uint32_t position = 0, next = kEnd;
  };
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

  std::uint64_t first_in_lists() const {
    return std::uint64_t{ranks_.top()} << 32 | links_[lists_[ranks_.top()].first].position;
  }

  std::vector<List> lists_;       // by rank
  MinHeap<std::uint32_t> ranks_;  // whose lists are not empty
  std::vector<Link> links_;
  MinHeap<std::uint64_t> late_;
};

}  // namespace meshwright::tokenizers
