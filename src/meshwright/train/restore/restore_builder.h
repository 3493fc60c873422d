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
  /// The folder of a run, of its checkpoints, or one checkpoint.
  std::filesystem::path folder;
  /// Absent: the newest.
  std::optional<std::int64_t> step = {};
  /// What the checkpoint lacks keeps its initial values; otherwise it is an error.
  bool may_lack = false;
  /// What the checkpoint has beside is left; otherwise it is an error.
  bool may_have_more = true;
  /// Floats are rounded to the dtype that is wanted; otherwise it is an error.
  bool may_cast = true;
  /// Finds the layout of the system that the checkpoint's format belongs to. Absent: native.
  checkpoint::FindForeignLayout foreign_layout = nullptr;
};

/// Fills the state from a checkpoint of any known format, which is only read, and takes its step.
/// Throws not_found if there is none; data_loss if it is damaged; invalid_argument with a full list
/// of what does not suit. What is left out or rounded is told in one message.
StateBuilder from_checkpoint(RestoreOptions options);

/// What a checkpoint has of a state, with lists of what does not suit, one line each.
struct Matching {
  std::vector<std::string> taken;    // paths
  std::vector<std::string> lacking;  // paths
  std::vector<std::string> surplus;  // the highest paths below which nothing is wanted
  std::vector<std::string> cast;     // "'model/w': bf16 to f32"
  std::vector<std::string> errors;   // "'model/w': f32[3] and f32[4]"
};
Matching match(const Tree<StateArray>& wanted, const Tree<ArrayType>& there);

}  // namespace meshwright::train
