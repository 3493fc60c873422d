// SPDX-License-Identifier: Apache-2.0
// The subcommands of `meshwright ckpt`, which read checkpoints in any format and need no devices.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/command.h"
#include "meshwright/config/node.h"

namespace meshwright::cli {

CommandBody list_checkpoints(const std::string& name);
CommandBody show_checkpoint(const std::string& name);
CommandBody verify_checkpoints(const std::string& name);
CommandBody diff_checkpoints(const std::string& name);
CommandBody convert_checkpoint(const std::string& name);
CommandBody slice_checkpoint(const std::string& name);
CommandBody cast_checkpoint(const std::string& name);
CommandBody average_checkpoints(const std::string& name);
CommandBody pin_checkpoints(const std::string& name);
CommandBody unpin_checkpoints(const std::string& name);
CommandBody collect_checkpoints(const std::string& name);

/// Runs a command. If memory runs out, throws an Error with advice for users of this program.
int run_within_memory(const std::function<int()>& run);

/// Like make_command(), but runs the command with run_within_memory().
template <typename Arguments, typename Run>
CommandBody make_ckpt_command(const std::string& name, Run run) {
  return make_command<Arguments>(
      name, [run](const Arguments& args) { return run_within_memory([&] { return run(args); }); });
}

/// Declares one run or checkpoint folder as the argument.
void declare_folder(ArgumentParser& parser, Args& args);
/// Returns the location that the arguments name. Throws invalid_argument unless there is exactly
/// one argument, and not_found if it is neither a run nor a checkpoint.
checkpoint::Location located(const std::string& command, const Args& args);
checkpoint::Stored open_step(const checkpoint::Location& location,
                             const checkpoint::CheckpointEntry& step);
/// Returns the config of the run that saved a checkpoint; nullopt if the checkpoint lacks it.
std::optional<config::Node> find_recorded_config(const checkpoint::Stored& stored);
/// Returns a + b, saturating: numbers in files may be huge. Both must be at least 0.
std::int64_t added(std::int64_t a, std::int64_t b);
/// Returns the size of all files of a checkpoint, except those nested too deep for a path.
std::int64_t bytes_of(const checkpoint::Location& location,
                      const checkpoint::CheckpointEntry& step);

}  // namespace meshwright::cli
