// SPDX-License-Identifier: Apache-2.0
// A checkpoint with its values, ready to be written.
#pragma once

#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/runtime/snapshot.h"

namespace meshwright::checkpoint {

/// Returns the plan for contents in memory. Throws invalid_argument if parts have unequal sizes or
/// are missing.
CheckpointPlan plan_of(const Contents& contents);

struct PendingCheckpoint {
  CheckpointPlan plan;
  std::vector<std::string> paths;  // paths of the arrays, indexed by the numbers in `parts`
  std::vector<runtime::SnapshotPart> parts;  // in writing order
};

PendingCheckpoint pending_checkpoint(const Contents& contents);
/// Returns a pending checkpoint for arrays on devices. `snapshot` holds their leaves.
PendingCheckpoint pending_checkpoint(std::int64_t step,
                                     const Tree<runtime::DeviceArray>& arrays,
                                     Meta meta,
                                     runtime::Snapshot& snapshot);

/// Writes a checkpoint from one process and commits it. On an error, removes the files written so
/// far.
void write_checkpoint(const Container& container,
                      const Files& files,
                      const std::string& path,
                      const Contents& contents,
                      const WriteOptions& options = {},
                      int max_threads = 8);

/// Writes a checkpoint from one process and commits it. On an error, removes the files written so
/// far. Frees each part as soon as it is written.
void write_checkpoint(const Container& container,
                      const Files& files,
                      const std::string& path,
                      PendingCheckpoint step,
                      const WriteOptions& options = {},
                      int max_threads = 8);

/// Writes parts on several threads, as many as are worth it. If one fails, frees the remaining ones
/// before it throws.
void write_parts(CheckpointWriter& writer, PendingCheckpoint step, int max_threads);

/// Converts the floating-point arrays below "model" to a dtype when they are written.
PendingCheckpoint with_params_as(DType dtype, PendingCheckpoint step);

}  // namespace meshwright::checkpoint
