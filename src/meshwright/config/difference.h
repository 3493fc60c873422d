// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// A path at which two trees differ, with the value in each tree; null if a tree has none.
struct Difference {
  std::string path;
  const Node* left = nullptr;
  const Node* right = nullptr;
};

/// Returns all differences, in the order of `left` and then of `right`. Compares tables and lists
/// of equal length element by element, and everything else as a whole. The pointers point into the
/// two trees.
std::vector<Difference> differences(const Node& left, const Node& right);

}  // namespace meshwright::config
