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

#include "meshwright/io/file_system.h"

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

/// Renames a file or folder within its parent and syncs the parent.
void rename_durably(io::FileSystem& files, const std::string& from, const std::string& to);
/// Returns `wanted`, or with a number at its end if that is taken.
std::string free_name(const io::FileSystem& files, const std::string& wanted);

/// Returns the id of the run that wrote a step. Nothing if it is no folder or has no manifest that
/// can be read.
std::optional<std::string> writer_of(const io::FileSystem& files, const std::string& folder);
/// True if the manifests of both steps can be read and may be of the same run.
bool is_of_same_run(const io::FileSystem& files,
                    const std::string& before,
                    const std::string& name);

/// Renames a step, so that it is one no more. Nothing is removed for it.
void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix);

}  // namespace meshwright::checkpoint
