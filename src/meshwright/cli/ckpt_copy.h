// SPDX-License-Identifier: Apache-2.0
// The common part of the commands that write a checkpoint from others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/format/container.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

/// Options that say what is written and how.
struct CopyArgs {
  std::string to;  // the name of a container
  std::string budget = "1GiB";
  std::string compress = "none";
  std::optional<std::int64_t> level;
  std::optional<std::string> max_shard_size;
  bool is_dry_run = false;
  /// Text that decides, together with the options above, what is written. Completed by
  /// open_to_copy().
  std::string identity;

  /// `to_help` describes the option --to.
  void declare(ArgumentParser& parser, const std::string& to_help);
};

/// Changes a checkpoint before it is written, such as its names; may be absent.
using ChangePending =
    std::function<checkpoint::PendingCheckpoint(checkpoint::PendingCheckpoint pending)>;

/// Opens a checkpoint that write_copy() will write to `destination`. Compressed chunks larger than
/// the budget are decoded into temporary files beside it when they are read, which a warning says.
checkpoint::Stored open_to_copy(CopyArgs& args,
                                const checkpoint::Location& location,
                                const checkpoint::CheckpointEntry& step,
                                const std::string& destination);

/// Writes a checkpoint to a new file or folder, or into the folder of a run if the container is a
/// format. Shows progress and prints what was written; with a dry run, prints the arrays. Continues
/// an interrupted attempt of the same command. Throws already_exists rather than replace anything.
/// `command` is for messages.
void write_copy(std::string_view command,
                const CopyArgs& args,
                const checkpoint::Stored& stored,
                const std::string& destination,
                const ChangePending& change = {});

/// Returns at most ten of the names, one per line, and how many more there are.
std::string first_of(const std::vector<std::string>& names);

/// Returns the checkpoint of a step, or by default the newest of a location.
const checkpoint::CheckpointEntry& entry_of(const checkpoint::Location& location,
                                            const std::optional<std::int64_t>& step);

/// Returns the container to write: the one that `args` names, otherwise the one that the name of
/// the destination ends with, otherwise `fallback`.
std::string container_for(const CopyArgs& args,
                          const std::string& destination,
                          const std::string& fallback);
/// Returns the container of a checkpoint, if it can be written, otherwise "native".
std::string container_like(const checkpoint::Location& location);

}  // namespace meshwright::cli
