// SPDX-License-Identifier: Apache-2.0
// Internal to containers/.
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
  Tree<StoredArray> take() { return std::move(arrays_); }

 private:
  StoredPaths paths_;
  Tree<StoredArray> arrays_;
};

/// The number at the end of a name, as in "model.ckpt-1000" and "checkpoint-000001000"; 0 if there
/// is none.
std::int64_t step_in_name(std::string_view name);

}  // namespace meshwright::checkpoint
