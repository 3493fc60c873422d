// SPDX-License-Identifier: Apache-2.0
// Converts checkpoints between the native layout and another system's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/tensor/foreign_array.h"

namespace meshwright::checkpoint {

/// How another system names and lays out a training state. Arrays without an entry are stored
/// unchanged and marked as Meshwright's own (ArrayPlan::is_own).
struct ForeignLayout {
  ForeignArrays arrays;
  /// Values that the system does not store but that follow from its conventions, keyed by native
  /// path.
  std::map<std::string, std::function<HostTensor(std::int64_t step)>> implied = {};
  /// Arrays that the system expects and Meshwright does not have. Written, but never read.
  Tree<HostTensor> more = {};
};

/// Returns the layout of the system that a format belongs to, for a state with these native paths.
/// Empty if no system owns the format.
using FindForeignLayout =
    std::function<ForeignLayout(std::string_view format, const std::vector<std::string>& paths)>;

/// Returns the checkpoint in native names and dimensions, with implied values where they are
/// missing. Arrays without an entry, and checkpoints that hold none of the foreign arrays, are
/// unchanged. Reads no elements yet. Throws invalid_argument if a foreign array has a shape that
/// the layout cannot produce.
Stored from_foreign(const Stored& stored, const ForeignLayout& layout);

/// Converts a checkpoint about to be written; each part is converted when it is taken. Throws
/// invalid_argument if two arrays would get the same name.
PendingCheckpoint to_foreign(PendingCheckpoint step, const ForeignLayout& layout);

}  // namespace meshwright::checkpoint
