// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/match.h"

#include <algorithm>
#include <map>
#include <set>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/checkpoint/contents/cast.h"

namespace meshwright::checkpoint {
namespace {

using Types = std::map<std::string, ArrayType>;

Types types_of(const Tree<ArrayType>& tree) {
  Types out;
  for_each(tree, [&](const std::string& path, const ArrayType& type) { out.emplace(path, type); });
  return out;
}

bool is_up_to_dtype(Match match) {
  return match == Match::exact_up_to_dtype || match == Match::contains_up_to_dtype;
}
bool may_hold_more(Match match) {
  return match == Match::contains || match == Match::contains_up_to_dtype;
}

bool suits(const ArrayType& there, const ArrayType& here, Match match) {
  return there.dims == here.dims &&
         (is_up_to_dtype(match) ? can_cast(there.dtype, here.dtype) : there.dtype == here.dtype);
}

}  // namespace

std::vector<std::string> differing_lines(const Tree<ArrayType>& stored,
                                         const Tree<ArrayType>& wanted,
                                         Match match) {
  const Types there = types_of(stored);
  const Types here = types_of(wanted);
  std::set<std::string> paths;
  std::vector<std::string> only_there;  // candidates for the nearest name of a missing array
  for (const auto& [path, type] : there) {
    paths.insert(path);
    if (!here.contains(path)) only_there.push_back(path);
  }
  for (const auto& [path, type] : here)
    paths.insert(path);

  // Comparing all pairs of names would take too long in a checkpoint with very many.
  constexpr std::size_t kMaxCompared = 1000;
  if (only_there.size() > kMaxCompared) only_there.clear();
  std::size_t num_suggested = 0;
  auto suggestion = [&](const std::string& path) {
    return ++num_suggested > kMaxCompared ? "" : did_you_mean(path, only_there);
  };

  std::vector<std::string> out;
  for (const std::string& path : paths) {
    auto old = there.find(path);
    auto now = here.find(path);
    if (now == here.end()) {
      if (!may_hold_more(match)) out.push_back(str("- ", path, " ", old->second));
    } else if (old == there.end()) {
      out.push_back(str("+ ", path, " ", now->second, suggestion(path)));
    } else {
      if (suits(old->second, now->second, match)) continue;
      out.push_back(str("- ", path, " ", old->second));
      out.push_back(str("+ ", path, " ", now->second));
    }
  }
  return out;
}

Stored select(const Stored& stored, const Tree<ArrayType>& wanted, Match match) {
  Tree<ArrayType> types = map(stored.arrays, [](const StoredArray& array) { return array.type(); });
  std::vector<std::string> lines = differing_lines(types, wanted, match);
  if (!lines.empty()) {
    fail(ErrorCode::invalid_argument, "checkpoint: step ", stored.step, " (-) does not match ",
         "the requested arrays (+):\n  ", join(lines, "\n  "));
  }
  Stored out = stored;
  out.arrays = map(wanted, [&](const std::string& path, const ArrayType& type) {
    return cast(stored.arrays.at(path).value(), type.dtype);
  });
  return out;
}

Stored select(const Stored& stored,
              const Tree<ArrayType>& wanted,
              Match match,
              const Tree<StoredArray>& fallback,
              std::vector<std::string>& taken_from_fallback) {
  Stored filled = stored;
  for_each(wanted, [&](const std::string& path, const ArrayType&) {
    const Tree<StoredArray>* other = fallback.find(path);
    if (stored.arrays.find(path) != nullptr || other == nullptr || !other->is_leaf()) return;
    filled.arrays[path] = other->value();
    taken_from_fallback.push_back(path);
  });
  return select(filled, wanted, match);
}

}  // namespace meshwright::checkpoint
