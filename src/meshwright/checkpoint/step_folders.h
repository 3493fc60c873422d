// SPDX-License-Identifier: Apache-2.0
// How the folder of a step takes its place in that of the run, or leaves it, whenever the power may
// go. Names beside those of the steps, which no format takes for a step:
//   unfinished-NAME   being written or being removed
//   replaced-NAME     was NAME until its successor came
//   damaged-NAME      set aside
//   abandoned-NAME    pinned, of a past to which the run went back
//   pinned-NAME       no folder but a file: NAME must stay
#pragma once

#include <string>
#include <string_view>

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
/// moment until the new one is.
void publish(io::FileSystem& files, const std::string& finished, const std::string& name);

/// Takes the name of a step away and then removes it. Needs can_rename().
void remove_renamed(io::FileSystem& files, const std::string& folder);
/// Removes the file that makes it a step, then the rest.
void remove_marked(io::FileSystem& files, const std::string& folder, std::string_view marker);

/// Renames a step, so that it is one no more.
void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix);

}  // namespace meshwright::checkpoint
