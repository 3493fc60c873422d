// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "meshwright/checkpoint/format/container.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"

namespace meshwright::checkpoint {

struct Restart {
  /// The place of the journal, beside what is written.
  std::string journal;
  /// Decides, together with the plan and the options, what is written: an interrupted attempt
  /// continues only if it has the same identity.
  std::string identity;
  int max_threads = 8;
  /// The time after which pieces are recorded for the first time, and then again.
  std::chrono::milliseconds interval{5000};
  /// Called for each part that an earlier attempt has written, with its size; may be absent.
  std::function<void(std::uint64_t num_bytes)> on_kept = {};
};

/// Returns the place of the journal of a checkpoint that is written to `result`.
std::string journal_of(const std::string& result);

/// Writes a checkpoint from one process and commits it. Records the pieces written, so that after
/// the process was killed or a call failed, the same call continues. A call that fails before it
/// has recorded anything removes the files that it has written.
void write_restartable(const Container& container,
                       const Files& files,
                       const std::string& path,
                       PendingCheckpoint step,
                       WriteOptions options,
                       const Restart& restart);

/// Returns text that changes when a file of a checkpoint is written again: names, sizes and times.
std::string identity_of(const io::FileSystem& files, const std::string& checkpoint);

}  // namespace meshwright::checkpoint
