// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/visible_keys.h"

#include <algorithm>
#include <cstring>

#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {
namespace {

// Keys per entry of bounds_.
constexpr std::int64_t kChunk = 64;

constexpr Range kNone{0, 0};

}  // namespace

VisibleKeys::VisibleKeys(std::int64_t src, const Conditions& conditions)
    : src_(src), conditions_(conditions) {
  const std::int32_t* segments = conditions.key_segments;
  if (segments == nullptr) return;
  for (std::int64_t begin = 0; begin < src; begin += kChunk) {
    const auto [least, most] =
        std::minmax_element(segments + begin, segments + std::min(src, begin + kChunk));
    bounds_.push_back({*least, *most});
  }
}

bool VisibleKeys::may_contain(std::int64_t chunk, std::int32_t segment) const {
  const SegmentBounds& bounds = bounds_[static_cast<std::size_t>(chunk)];
  return bounds.least <= segment && segment <= bounds.most;
}

// Returns the first of the first `end` keys that is in a segment, or `end`.
std::int64_t VisibleKeys::first_of(std::int32_t segment, std::int64_t end) const {
  const std::int32_t* segments = conditions_.key_segments;
  for (std::int64_t chunk = 0; chunk * kChunk < end; ++chunk) {
    if (!may_contain(chunk, segment)) continue;
    const std::int64_t stop = std::min(end, (chunk + 1) * kChunk);
    const std::int32_t* at = std::find(segments + chunk * kChunk, segments + stop, segment);
    if (at != segments + stop) return at - segments;
  }
  return end;
}

// Returns one past the last of these keys that is in a segment. The first of them must be.
std::int64_t VisibleKeys::end_of(std::int32_t segment, Range keys) const {
  for (std::int64_t end = keys.end; end > keys.begin;) {
    const std::int64_t chunk = (end - 1) / kChunk;
    const std::int64_t begin = std::max(keys.begin, chunk * kChunk);
    for (; may_contain(chunk, segment) && end > begin; --end)
      if (conditions_.key_segments[end - 1] == segment) return end;
    end = begin;
  }
  return keys.begin;
}

// Returns the range from the first to the last key of a segment, among the first `end` keys.
// `before` is that of an earlier query of the segment, or empty.
Range VisibleKeys::of_segment(std::int32_t segment, std::int64_t end, Range before) const {
  if (before.size() > 0 && !conditions_.causal) return before;
  const std::int64_t first = before.size() > 0 ? before.begin : first_of(segment, end);
  return first == end ? kNone : Range{first, end_of(segment, {first, end})};
}

// Returns the smallest part of `keys` with all keys that a query with a mask attends to.
Range VisibleKeys::in_mask(std::int64_t query, Range keys) const {
  const std::uint8_t* row = conditions_.mask + query * src_;
  const auto* first = static_cast<const std::uint8_t*>(
      std::memchr(row + keys.begin, 1, static_cast<std::size_t>(keys.size())));
  if (first == nullptr) return kNone;
  const auto* last = static_cast<const std::uint8_t*>(
      memrchr(row + keys.begin, 1, static_cast<std::size_t>(keys.size())));
  Range seen{first - row, last - row + 1};
  if (conditions_.key_segments == nullptr) return seen;
  const std::int32_t segment = conditions_.query_segments[query];
  auto is_seen = [&](std::int64_t j) {
    return row[j] != 0 && conditions_.key_segments[j] == segment;
  };
  while (seen.size() > 0 && !is_seen(seen.begin))
    ++seen.begin;
  while (seen.size() > 0 && !is_seen(seen.end - 1))
    --seen.end;
  return seen.size() > 0 ? seen : kNone;
}

// Returns the smallest part of the query's `keys` with all those in its window.
Range VisibleKeys::in_window(std::int64_t query, Range keys) const {
  keys.begin = std::max(keys.begin, query + 1 - conditions_.window);
  if (const std::int32_t* segments = conditions_.key_segments)
    while (keys.size() > 0 && segments[keys.begin] != conditions_.query_segments[query])
      ++keys.begin;
  return keys.size() > 0 ? keys : kNone;
}

Range VisibleKeys::cover(Range queries, std::span<Range> each) const {
  const std::int32_t *query_segments = conditions_.query_segments,
                     *key_segments = conditions_.key_segments;
  Range whole{src_, 0}, in_segment = kNone;
  bool has_blind = false;
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    Range keys{0, conditions_.num_keys};
    if (conditions_.causal) keys.end = std::min(keys.end, i + 1);
    if (key_segments != nullptr) {
      if (i > queries.begin && query_segments[i] != query_segments[i - 1]) in_segment = kNone;
      keys = in_segment = of_segment(query_segments[i], keys.end, in_segment);
    }
    if (conditions_.window > 0) keys = in_window(i, keys);
    if (conditions_.mask != nullptr && keys.size() > 0) keys = in_mask(i, keys);
    if (!each.empty()) each[static_cast<std::size_t>(i - queries.begin)] = keys;
    if (keys.size() == 0) has_blind = true;
    whole = {std::min(whole.begin, keys.begin), std::max(whole.end, keys.end)};
  }
  if (has_blind || whole.size() <= 0) return {0, src_};
  return {whole.begin / kPanelColumns * kPanelColumns, whole.end};
}

std::int64_t VisibleKeys::block_end(Range queries, std::int64_t fewest, std::int64_t most) const {
  const std::int32_t* segments = conditions_.query_segments;
  const std::int64_t end = std::min(queries.end, queries.begin + most);
  if (segments == nullptr) return end;
  for (std::int64_t i = queries.begin + fewest; i < end; ++i)
    if (segments[i] != segments[i - 1]) return i;
  return end;
}

}  // namespace meshwright::kernels
