// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <new>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/commands.h"
#include "meshwright/config/config.h"
#include "meshwright/io/file_tree.h"

namespace meshwright::cli {

constexpr Command kCkptCommands[] = {
    {"ls", "list the checkpoints of a run", list_checkpoints},
    {"show", "print the arrays of a checkpoint, and value statistics", show_checkpoint},
    {"verify", "read every byte and report damage; exit code 1 if there is any",
     verify_checkpoints},
    {"diff", "compare two checkpoints; exit code 1 if they differ", diff_checkpoints},
    {"convert", "write a checkpoint in another container or layout", convert_checkpoint},
    {"slice", "write only some arrays of a checkpoint", slice_checkpoint},
    {"cast", "write a checkpoint in another floating-point dtype", cast_checkpoint},
    {"average", "write the mean of several checkpoints", average_checkpoints},
    {"pin", "protect checkpoints from removal", pin_checkpoints},
    {"unpin", "undo pin", unpin_checkpoints},
    {"gc", "remove old checkpoints of a run", collect_checkpoints},
};

const CommandGroup& ckpt_commands() {
  static constexpr CommandGroup kGroup{"Inspects checkpoints of any format. Needs no devices.",
                                       kCkptCommands};
  return kGroup;
}

int run_within_memory(const std::function<int()>& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::device, "ckpt: out of host memory\nuse a machine with more memory, or raise ",
         "the limit on the memory of this process");
  }
}

std::int64_t added(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return b > kMost - a ? kMost : a + b;
}

void declare_folder(ArgumentParser& parser, Args& args) {
  parser.positionals(args, {"FOLDER", Offer::folders},
                     "a run folder (its newest checkpoint), or a checkpoint's folder or file");
}

checkpoint::Location located(const std::string& command, const Args& args) {
  MW_CHECK(args.size() == 1, "ckpt ", command, ": takes one folder, not ", args.size(),
           "\nsee: meshwright ckpt ", command, " --help");
  return checkpoint::locate(args[0]);
}

checkpoint::Stored open_step(const checkpoint::Location& location,
                             const checkpoint::CheckpointEntry& step) {
  if (!step.is_committed) {
    fail(ErrorCode::not_found, location.files->full_name(step.folder),
         ": unfinished: still being saved, or its run ended during the save");
  }
  return open_at(location, step);
}

std::optional<config::Node> find_recorded_config(const checkpoint::Stored& stored) {
  const checkpoint::Meta* entry = stored.meta.find("config");
  const auto* text =
      entry != nullptr && entry->is_leaf() ? std::get_if<std::string>(&entry->value()) : nullptr;
  if (text == nullptr) return std::nullopt;
  return config::parse_toml(std::make_shared<const config::Source>(
      config::Source{str("the config of step ", stored.step), *text}));
}

std::int64_t bytes_of(const checkpoint::Location& location,
                      const checkpoint::CheckpointEntry& step) {
  return static_cast<std::int64_t>(num_bytes_below(*location.files, step.folder));
}

}  // namespace meshwright::cli
