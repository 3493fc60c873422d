// SPDX-License-Identifier: Apache-2.0
// A history of a run's checkpoints: the actions of its process, other processes, the machine and
// users, in order. It can be written as text and replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::machine {

enum class Action {
  start,          // or resume: restores the newest checkpoint; ends an earlier process first
  save,           // saves a later step
  die_saving,     // the process ends at a call of a save
  die_starting,   // the process ends at a call of a start
  fail_saving,    // a call of a save fails
  save_jointly,   // several processes write a step
  die_jointly,    // several processes write a step, and one ends at a call
  stop,           // the process ends by itself
  lose_power,     // everything that was not synced is lost
  damage_file,    // damages a file of a step
  damage_folder,  // replaces a step by a file or link, or empties it
  put_something,  // creates an entry with the name of a step that the run did not write
  put_foreign,    // creates a step of another format, or one of its files
  move_away,      // renames a step so that it no longer is one
  move_back,      // renames it back
  copy,           // copies a step to another name
  jump_clock,
  pin,
  unpin,
  collect,  // runs `ckpt gc`
  go_back,  // removes all steps after one
  num_actions
};

/// The meaning of `a` and `b` depends on the action and on the existing files: any numbers are
/// valid.
struct Operation {
  Action action = Action::start;
  std::uint32_t a = 0, b = 0;
};

struct Sequence {
  std::string format = "native";
  /// 0: not set.
  std::int64_t keep_last_n = 0, keep_every_n_steps = 0, keep_every_seconds = 0;
  std::vector<Operation> operations;
};

Sequence random_sequence(std::uint64_t seed);

/// Returns one line for the format, one for each rule that is set, one for each operation.
std::string to_text(const Sequence& sequence);
/// Throws invalid_argument if the text is malformed.
Sequence parse_sequence(std::string_view text);

}  // namespace meshwright::machine
