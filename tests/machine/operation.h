// SPDX-License-Identifier: Apache-2.0
// A history of a run's checkpoints: what its process, other processes, the machine and people did,
// one after the other. As text it can be replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::machine {

enum class Action {
  start,          // or resume: restores the newest checkpoint; ends an earlier process first
  save,           // a later step
  die_saving,     // the process ends at a call of a save
  die_starting,   // or of a start
  fail_saving,    // a call of a save fails
  save_jointly,   // several processes write a step
  die_jointly,    // and one of them ends at a call
  stop,           // the process ends by itself
  lose_power,     // and with it everything that was not synced
  damage_file,    // of a step
  damage_folder,  // of a step: becomes a file, a link, empty
  put_something,  // with the name of a step, which the run did not write
  put_foreign,    // a step of another format, or a file of one
  move_away,      // a step gets a name that is no step's
  move_back,      // and its own again
  copy,           // of a step, under another name
  jump_clock,
  pin,
  unpin,
  collect,  // `ckpt gc`
  go_back,  // all steps after one are removed
  num_actions
};

/// What `a` and `b` choose depends on the action and on what there is: any numbers make sense.
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

/// One line for the format, one for each rule that is set, one for each operation.
std::string to_text(const Sequence& sequence);
/// Throws invalid_argument.
Sequence parse_sequence(std::string_view text);

}  // namespace meshwright::machine
