// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/quotas.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::data {
namespace {

constexpr std::size_t kMaxParts = 1000;
constexpr int kMaxRatioBits = 40;
constexpr int kSumBits = 62;

// Returns num_rows * part / whole, rounded half up.
std::int64_t rounded_share(std::int64_t num_rows, std::uint64_t part, std::uint64_t whole) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(num_rows) * part;
  return static_cast<std::int64_t>((2 * product + whole) / (2 * static_cast<Wide>(whole)));
}

}  // namespace

Quotas::Quotas(std::span<const double> weights) : num_parts_(weights.size()) {
  MW_CHECK(!weights.empty() && weights.size() <= kMaxParts, "mixture: there are ", weights.size(),
           " parts, expected 1 to ", kMaxParts);
  for (const double weight : weights)
    MW_CHECK(std::isfinite(weight) && weight > 0, "mixture: a weight is ", weight,
             ", expected a positive number");
  const auto [least, most] = std::ranges::minmax(weights);
  MW_CHECK(least >= std::ldexp(most, -kMaxRatioBits), "mixture: the weights ", least, " and ", most,
           " are too far apart; the largest may be 2^", kMaxRatioBits, " times the smallest");
  // Scaling by a power of two keeps the ratios of the weights.
  const int scale = kSumBits - 1 - std::ilogb(std::accumulate(weights.begin(), weights.end(), 0.0));
  nodes_.reserve(2 * num_parts_ - 1);
  for (const double weight : weights)
    nodes_.push_back(
        {.weight = static_cast<std::uint64_t>(std::llround(std::ldexp(weight, scale)))});
  join_lightest();
}

// As in a Huffman code. Over two levels, a node has at most half the weight of its grandparent,
// which bounds the sum of the rounding errors.
void Quotas::join_lightest() {
  using Entry = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::size_t part = 0; part < num_parts_; ++part)
    lightest.emplace(nodes_[part].weight, part);
  while (lightest.size() > 1) {
    const auto [left_weight, left] = lightest.top();
    lightest.pop();
    const auto [right_weight, right] = lightest.top();
    lightest.pop();
    lightest.emplace(left_weight + right_weight, nodes_.size());
    nodes_.push_back({.weight = left_weight + right_weight, .left = left, .right = right});
  }
}

std::vector<std::int64_t> Quotas::of_first(std::int64_t num_rows) const {
  std::vector<std::int64_t> out(nodes_.size());
  out.back() = num_rows;
  for (std::size_t at = nodes_.size(); at-- > num_parts_;) {
    const Node& node = nodes_[at];
    out[node.left] = rounded_share(out[at], nodes_[node.left].weight, node.weight);
    out[node.right] = out[at] - out[node.left];
  }
  out.resize(num_parts_);
  return out;
}

}  // namespace meshwright::data
