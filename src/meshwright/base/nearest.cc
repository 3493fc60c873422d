// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/nearest.h"

#include <algorithm>
#include <cstddef>

#include "meshwright/base/str.h"

namespace meshwright {
namespace {

/// Returns the optimal string alignment distance: Levenshtein distance in which swapping neighbours
/// costs one.
std::size_t num_slips(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1,
                                             std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i)
    cost[i][0] = i;
  for (std::size_t j = 0; j <= to.size(); ++j)
    cost[0][j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace

std::optional<std::string> find_nearest(std::string_view name,
                                        const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_slips = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t slips = num_slips(name, candidate);
    const std::size_t tolerated = std::max<std::size_t>(1, candidate.size() / 3);
    if (slips > tolerated || (best && slips >= best_slips)) continue;
    best = candidate;
    best_slips = slips;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostListed = 10;
  if (auto nearest = find_nearest(name, candidates)) return str("; did you mean '", *nearest, "'?");
  if (candidates.empty() || candidates.size() > kMostListed) return "";
  return str("; available: '", join(candidates, "', '"), "'");
}

}  // namespace meshwright
