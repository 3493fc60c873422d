// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/tree.h"

#include "meshwright/base/nearest.h"
#include "meshwright/base/str.h"

namespace meshwright {
namespace {

// Shortens a path, which may be arbitrarily long, for a message.
std::string shown(std::string_view path) {
  constexpr std::size_t kMaxShown = 200;
  return str(path.substr(0, kMaxShown), path.size() > kMaxShown ? "..." : "");
}

}  // namespace

std::vector<std::string_view> split_tree_path(std::string_view path) {
  std::vector<std::string_view> names;
  std::string_view rest = path;
  for (;;) {
    std::size_t slash = rest.find('/');
    names.push_back(rest.substr(0, slash));
    MW_CHECK(!names.back().empty(), "tree: the path '", shown(path), "' has an empty component");
    MW_CHECK(names.size() <= kMaxTreeDepth, "tree: the path '", shown(path), "' has more than ",
             kMaxTreeDepth, " components");
    if (slash == std::string_view::npos) return names;
    rest.remove_prefix(slash + 1);
  }
}

std::string join_tree_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : str(path, "/", name);
}

void fail_no_such_entry(std::string_view path,
                        std::string_view parent,
                        const std::vector<std::string>& children) {
  std::string_view missing = path.substr(parent.empty() ? 0 : parent.size() + 1);
  missing = missing.substr(0, missing.find('/'));
  fail(ErrorCode::not_found, "tree: there is no '", path,
       "': ", parent.empty() ? "the root" : str("'", parent, "'"), " has no '", missing, "'",
       did_you_mean(missing, children));
}

void fail_trees_differ(std::string_view first,
                       std::string_view second,
                       const std::vector<std::string>& differences) {
  fail(ErrorCode::invalid_argument, "tree: ", first, " and ", second, " differ in ",
       differences.size(), differences.size() == 1 ? " place:\n  " : " places:\n  ",
       join(differences, "\n  "));
}

}  // namespace meshwright
