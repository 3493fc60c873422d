// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/format/manifest.h"

namespace meshwright::checkpoint {

/// Collects arrays under the names that a file gives them, as paths of a tree.
class NamedArrays {
 public:
  /// Throws data_loss for a name that is not a path of a tree, or that is both an array and the
  /// parent of another.
  void add(const std::string& name, StoredArray array);
  /// Returns the arrays. Throws data_loss if one of the other members of the tree is where an array
  /// is.
  Tree<StoredArray> take(const Structure& structure = {});

 private:
  void claim(const std::string& name);

  StoredPaths paths_;
  Tree<bool> places_;
  Tree<StoredArray> arrays_;
};

}  // namespace meshwright::checkpoint
