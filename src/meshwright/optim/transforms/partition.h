// SPDX-License-Identifier: Apache-2.0
// Selects leaves of trees by path, and checks that values are finite.
#pragma once

#include <functional>
#include <string>

#include "meshwright/base/tree.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::optim {

using PathPredicate = std::function<bool(const std::string& path)>;

/// Returns the leaves whose paths are chosen, omitting nodes that contain none.
template <typename T>
Tree<T> filter_leaves(const Tree<T>& tree, const PathPredicate& is_chosen) {
  Tree<T> out;
  for_each(tree, [&](const std::string& path, const T& value) {
    if (is_chosen(path)) out[path] = value;
  });
  return out;
}

/// Returns the leaves of `tree` at the paths of `names`. Throws not_found if one is missing.
template <typename T, typename U>
Tree<T> leaves_with_names_of(const Tree<T>& tree, const Tree<U>& names) {
  return map(names, [&](const std::string& path, const U&) { return tree.at(path).value(); });
}

/// Returns a boolean scalar that is true if all elements of all arrays are finite on all devices.
graph::Value all_finite(const Tree<graph::Value>& arrays);

}  // namespace meshwright::optim
