// SPDX-License-Identifier: Apache-2.0
// Crash-safe renaming of checkpoint folders within a run's folder. Reserved name prefixes; no
// format mistakes these entries for checkpoints:
//       unfinished-NAME   being written or being removed, also unfinished-replaced-NAME
//       unfinished-NAME.journal   a file: what a copy to NAME has written so far
//       replaced-NAME     was NAME until its successor was published
//       damaged-NAME      was unreadable and was set aside
//       abandoned-NAME    must not be removed: pinned, or not written by Meshwright
//       pinned-NAME       a file, not a folder: NAME must be kept
// If such a name is taken, a number is appended: damaged-NAME.2.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

inline constexpr std::string_view kUnfinished = "unfinished-";
inline constexpr std::string_view kJournal = ".journal";  // a suffix
inline constexpr std::string_view kReplaced = "replaced-";
inline constexpr std::string_view kDamaged = "damaged-";
inline constexpr std::string_view kAbandoned = "abandoned-";
inline constexpr std::string_view kPinned = "pinned-";

/// For "checkpoints/step_1", returns "checkpoints/unfinished-step_1".
std::string with_prefix(std::string_view prefix, std::string_view folder);

/// Renames a finished folder to `name`. An earlier folder of the same name is kept, under `name` or
/// with the prefix replaced-, until the new one is in place. Then it is removed if the same run
/// wrote it and it is not pinned; otherwise it is set aside.
void publish(io::FileSystem& files, const std::string& finished, const std::string& name);

/// Renames a checkpoint so that it no longer counts, then removes it. Requires can_rename().
void remove_renamed(io::FileSystem& files, const std::string& folder);
/// Removes the marker file, then the manifest, then the rest.
void remove_marked(io::FileSystem& files, const std::string& folder, std::string_view marker);

/// Renames a file or folder within its parent and syncs the parent.
void rename_durably(io::FileSystem& files, const std::string& from, const std::string& to);
/// Returns `wanted`, with a number appended if the name is taken.
std::string free_name(const io::FileSystem& files, const std::string& wanted);

/// Returns the id of the run that wrote a checkpoint; nullopt if it is not a folder or has no
/// readable manifest.
std::optional<std::string> writer_of(const io::FileSystem& files, const std::string& folder);
/// True if both checkpoints have readable manifests that may come from the same run.
bool is_of_same_run(const io::FileSystem& files,
                    const std::string& before,
                    const std::string& name);

/// Renames a checkpoint so that it no longer counts, without removing anything.
void set_aside(io::FileSystem& files, const std::string& folder, std::string_view prefix);

}  // namespace meshwright::checkpoint
