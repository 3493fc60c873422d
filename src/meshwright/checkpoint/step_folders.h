// SPDX-License-Identifier: Apache-2.0
// How the folder of a step takes its place in that of the run, or leaves it, whenever the power may
// go. Names beside those of the steps, which no format takes for a step:
//   unfinished-NAME   being written or being removed, as unfinished-replaced-NAME
//   replaced-NAME     was NAME until its successor came
//   damaged-NAME      could not be read and was set aside
//   abandoned-NAME    not ours to remove: pinned, or not written by this program
//   pinned-NAME       no folder but a file: NAME must stay
// What is set aside where there is one already has a number at its end: damaged-NAME.2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format.h"

namespace meshwright::checkpoint {

inline constexpr std::string_view kUnfinished = "unfinished-";
inline constexpr std::string_view kReplaced = "replaced-";
inline constexpr std::string_view kDamaged = "damaged-";

inline constexpr std::string_view kAbandoned = "abandoned-";
inline constexpr std::string_view kPinned = "pinned-";

/// "checkpoints/unfinished-step_1" of "checkpoints/step_1".
std::string with_prefix(std::string_view prefix, std::string_view folder);

/// Gives a finished folder its name. What had it before is there under one of the two names at any
/// moment until the new one is; then it is removed if this program wrote it, else set aside.
void publish(io::FileSystem& files, const std::string& finished, const std::string& name);

/// Takes the name of a step away and then removes it. Needs can_rename().
void remove_renamed(io::FileSystem& files, const std::string& folder);
/// Removes the file that makes it a step, then the manifest, then the rest.
void remove_marked(io::FileSystem& files, const std::string& folder, std::string_view marker);

/// Renames a step, so that it is one no more. Nothing is removed for it.
void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix);

/// An entry of a run's folder that was a step until it got a prefix.
struct SetAside {
  std::string path;
  std::string_view prefix;  // kDamaged, kAbandoned or kReplaced
};
/// Lists those of this format. A replaced- folder that still serves as the step (list_steps) is not
/// among them.
std::vector<SetAside> list_set_aside(const Format& format,
                                     const Files& files,
                                     const std::string& run);

/// What shows that there are or were checkpoints in a run's folder: the name of something that has
/// a step's name in any format (also one that was set aside, or is no folder), or holds a manifest
/// or a marker. What a killed save left does not count. With `up_to`, only names of steps up to
/// this one do.
std::optional<std::string> find_trace(const Files& files,
                                      const std::string& run,
                                      std::optional<std::int64_t> up_to = {});
/// The same in the other folders of a run, and beside them: steps that somebody moved out of
/// `checkpoints`. What a run that began anew set aside does not count.
std::optional<std::string> find_trace_elsewhere(const Files& run, const std::string& checkpoints);

}  // namespace meshwright::checkpoint
