// SPDX-License-Identifier: Apache-2.0
// Lists the entries of a run's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Returns the entries of the run's folder; empty if it is absent.
std::vector<io::FolderEntry> entries_in(const io::FileSystem& files, const std::string& run);
/// Returns the name without the prefix; the name itself if it does not start with it.
std::string_view without_prefix(std::string_view prefix, std::string_view name);
/// For "damaged-step_00000012.2", returns "step_00000012".
std::string_view name_before(std::string_view prefix, std::string_view name);

/// Returns every entry in a run's folder that has the name of a checkpoint in this format, in
/// ascending order; empty if the folder is absent.
std::vector<CheckpointEntry> list_steps(const Format& format,
                                        const Files& files,
                                        const std::string& run);

/// Returns only the entries that are checkpoints of this format, since several formats use the same
/// names.
std::vector<CheckpointEntry> steps_of_format(const Format& format,
                                             const Files& files,
                                             const std::string& run);

/// An entry of a run's folder that was a checkpoint until it was renamed with a prefix.
struct SetAside {
  std::string path;
  std::string_view prefix;  // kDamaged, kAbandoned or kReplaced
};
/// Returns the checkpoints of this format that were set aside, except a replaced- folder that still
/// serves as the checkpoint (list_steps()).
std::vector<SetAside> list_set_aside(const Format& format,
                                     const Files& files,
                                     const std::string& run);

/// Returns a name that shows that a run's folder has or had checkpoints: an entry named like a
/// checkpoint of any format (including one that was set aside, or is not a folder), or one that
/// contains a manifest or a marker. Ignores the leftovers of an interrupted save. With `up_to`,
/// considers only names of steps up to this one.
std::optional<std::string> find_trace(const Files& files,
                                      const std::string& run,
                                      std::optional<std::int64_t> up_to = {});
/// Like find_trace(), but searches the run's folder and its folders other than `checkpoints`, for
/// checkpoints that were moved out of it. Ignores those that a run set aside when it started from
/// scratch.
std::optional<std::string> find_trace_elsewhere(const Files& run, const std::string& checkpoints);

}  // namespace meshwright::checkpoint
