// SPDX-License-Identifier: Apache-2.0
// A step that has its values and is not written yet.
#pragma once

#include <string>
#include <vector>

#include "meshwright/checkpoint/contents.h"
#include "meshwright/checkpoint/format.h"
#include "meshwright/runtime/snapshot.h"

namespace meshwright::checkpoint {

struct PendingStep {
  StepPlan plan;
  std::vector<std::string> paths;            // of the arrays, by their numbers in `parts`
  std::vector<runtime::SnapshotPart> parts;  // in the order in which they are written
};

PendingStep pending_step(const Contents& contents);
/// Of arrays that are on devices. `snapshot` is one of their leaves.
PendingStep pending_step(std::int64_t step,
                         const Tree<runtime::DeviceArray>& arrays,
                         Meta meta,
                         runtime::Snapshot& snapshot);

/// Writes a step from one process and commits it; on an error removes what was written. Each part
/// is let go as soon as it is written.
void write_step(const Format& format,
                const Files& files,
                const std::string& run,
                PendingStep step,
                const WriteOptions& options = {},
                int max_threads = 8);

}  // namespace meshwright::checkpoint
