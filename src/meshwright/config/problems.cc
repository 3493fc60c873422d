// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/problems.h"

#include <algorithm>
#include <tuple>

#include "meshwright/base/error.h"

namespace meshwright::config {

Remedy list_keys(const std::string& table) {
  return {RemedyKind::list_keys, "all keys", "docs/config.md", {table}};
}

void Problems::add(const Origin& origin, std::string message) {
  list_.push_back({origin, std::move(message)});
}

void Problems::throw_if_any() const {
  if (list_.empty()) return;
  constexpr std::size_t kMostTold = 20;
  const auto place = [](const Problem& problem) {
    const Source* source = problem.origin.source.get();
    const std::string name = source == nullptr ? "" : source->name;
    return std::tuple(source != nullptr && source->is_override, name, problem.origin.line,
                      problem.origin.column);
  };
  std::vector<Problem> sorted = list_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
  std::string text;
  if (sorted.size() > 1) text = str(sorted.size(), " errors in the config\n");
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostTold); ++i)
    text +=
        str(sorted[i].origin, ": ", printable(sorted[i].message), "\n", excerpt(sorted[i].origin));
  if (sorted.size() > kMostTold) text += str("and ", sorted.size() - kMostTold, " more\n");
  text.pop_back();
  if (!tables_.empty())
    fail_with_remedy(ErrorCode::invalid_argument, list_keys(tables_.front()), text);
  throw Error(ErrorCode::invalid_argument, text);
}

}  // namespace meshwright::config
