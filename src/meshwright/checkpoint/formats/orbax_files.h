// SPDX-License-Identifier: Apache-2.0
// The files by which Orbax recognises a checkpoint and finds its arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

inline constexpr const char* kOrbaxTree = "_METADATA";
inline constexpr const char* kOrbaxHandlers = "_CHECKPOINT_METADATA";
inline constexpr const char* kOrbaxMarker = "commit_success.txt";
/// The content of the marker, followed by the full path of the checkpoint.
inline constexpr std::string_view kOrbaxCommitted = "Checkpoint commit was successful to ";

/// The key of the step in the metadata of users, where the name of the folder does not tell it.
inline constexpr const char* kOrbaxStep = "step";

/// The file with the values of texts. A name with slashes leads through nested objects.
inline constexpr const char* kOrbaxTexts = "_strings.json";
/// Kinds of keys in the tree.
inline constexpr std::int64_t kOrbaxListKey = 1;
inline constexpr std::int64_t kOrbaxMapKey = 2;

/// Returns the folder, or the beginning of the keys, of the array with this path.
std::string orbax_folder(const std::string& path, const Structure& structure);

/// Finds the kind of an empty member by its value type.
std::optional<EmptyNode> find_orbax_empty(std::string_view name);

struct OrbaxFileOptions {
  std::string name;       // follows kOrbaxCommitted
  bool is_ocdbt = false;  // the arrays are in a database
};
/// Writes the tree, the handlers and the marker into the folder `files`, durably.
void write_orbax_files(io::FileSystem& files,
                       const CheckpointPlan& plan,
                       const OrbaxFileOptions& options);

}  // namespace meshwright::checkpoint
