// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/train/restore/state_builder.h"

namespace meshwright::train {

struct RestoreOptions {
  /// Folder of a run, of its checkpoints, or of one checkpoint.
  std::filesystem::path folder;
  /// Defaults to the newest.
  std::optional<std::int64_t> step = {};
  /// Keep initial values for arrays missing from the checkpoint; otherwise they are an error.
  bool may_lack = false;
  /// Ignore arrays that only the checkpoint has; otherwise they are an error.
  bool may_have_more = true;
  /// Round floats to the requested dtype; otherwise a different dtype is an error.
  bool may_cast = true;
  /// Finds the layout of a system. Defaults to the native layout.
  checkpoint::FindForeignLayout foreign_layout = nullptr;
  /// Systems whose names may be used in a container that belongs to none of them, such as .npz.
  std::vector<std::string> systems = {};
  /// The system whose names the checkpoint has. Defaults to that of the container, or else to the
  /// one under whose names most parameters are there.
  std::optional<std::string> layout = {};
};

/// Returns a builder that takes the state and its step from a checkpoint in any known format,
/// opened read-only. Building throws not_found if there is no checkpoint, data_loss if it is
/// damaged, and invalid_argument with all mismatches. Arrays that are ignored or rounded are
/// reported in one message.
StateBuilder from_checkpoint(RestoreOptions options);

/// Result of matching a checkpoint with a state, as lists with one line per entry.
struct Matching {
  std::vector<std::string> taken;    // paths
  std::vector<std::string> lacking;  // paths
  std::vector<std::string> surplus;  // topmost paths that contain no requested array
  std::vector<std::string> cast;     // "'model/w': bf16 to f32"
  std::vector<std::string> errors;   // "'model/w': f32[3] and f32[4]"
};
Matching match(const Tree<StateArray>& wanted, const Tree<ArrayType>& there);

}  // namespace meshwright::train
