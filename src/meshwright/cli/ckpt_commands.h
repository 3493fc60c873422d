// SPDX-License-Identifier: Apache-2.0
// `meshwright ckpt COMMAND`: looking into checkpoints of any format, without devices.
#pragma once

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

int list_checkpoints(const Args& args);
int show_checkpoint(const Args& args);
int verify_checkpoints(const Args& args);
int diff_checkpoints(const Args& args);
int pin_checkpoints(const Args& args);
int unpin_checkpoints(const Args& args);
int collect_checkpoints(const Args& args);

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
