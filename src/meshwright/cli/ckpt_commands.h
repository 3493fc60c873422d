// SPDX-License-Identifier: Apache-2.0
// `meshwright ckpt COMMAND`: looking into checkpoints of any format, without devices.
#pragma once

#include <functional>
#include <string>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/command.h"

namespace meshwright::cli {

CommandBody list_checkpoints(const std::string& name);
CommandBody show_checkpoint(const std::string& name);
CommandBody verify_checkpoints(const std::string& name);
CommandBody diff_checkpoints(const std::string& name);
CommandBody pin_checkpoints(const std::string& name);
CommandBody unpin_checkpoints(const std::string& name);
CommandBody collect_checkpoints(const std::string& name);

/// Runs a command on checkpoints. Throws Error instead of std::bad_alloc, with advice that fits.
int run_within_memory(const std::function<int()>& run);

/// make_command() for commands on checkpoints.
template <typename Arguments, typename Run>
CommandBody make_ckpt_command(const std::string& name, Run run) {
  return make_command<Arguments>(
      name, [run](const Arguments& args) { return run_within_memory([&] { return run(args); }); });
}

/// What most of these commands take: one folder of a run or of a step.
void declare_folder(ArgumentParser& parser, Args& args);
/// Where the checkpoint is that was named. Throws invalid_argument unless it is one word, not_found
/// where there is none.
checkpoint::Location located(const std::string& command, const Args& args);
checkpoint::Stored open_step(const checkpoint::Location& location,
                             const checkpoint::StepEntry& step);
/// a + b of numbers from files, at least 0 each; at most the largest number.
std::int64_t added(std::int64_t a, std::int64_t b);
/// In all files of a step, but for those nested deeper than a path can be long.
std::int64_t bytes_of(const checkpoint::Location& location, const checkpoint::StepEntry& step);

}  // namespace meshwright::cli
