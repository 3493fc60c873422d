// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/subcommands.h"
#include "meshwright/io/path.h"

namespace meshwright::cli {
namespace {

// Nothing where a run has just removed it.
std::vector<io::FolderEntry> entries_of(const io::FileSystem& files, const std::string& folder) {
  try {
    return files.list(folder);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return {};
  }
}

std::int64_t bytes_below(const io::FileSystem& files, const std::string& folder) {
  std::int64_t sum = 0;
  for (const io::FolderEntry& entry : entries_of(files, folder)) {
    const std::string path = io::join_path(folder, entry.name);
    if (entry.kind == io::FileKind::folder) {
      sum += bytes_below(files, path);
    } else if (const auto info = files.find(path)) {
      sum += static_cast<std::int64_t>(info->num_bytes);
    }
  }
  return sum;
}

}  // namespace

int run_ckpt(const Words& words) {
  const Subcommand subcommands[] = {
      {"ls", "list the checkpoints of a run", list_checkpoints},
      {"show", "print the arrays of a checkpoint, and what their elements are like",
       show_checkpoint},
      {"verify", "read everything and say what is damaged; exit code 1 if something is",
       verify_checkpoints},
      {"diff", "print in what two checkpoints differ; exit code 1 if they do", diff_checkpoints},
      {"pin", "keep checkpoints whatever the rules say", pin_checkpoints},
      {"unpin", "leave them to the rules again", unpin_checkpoints},
      {"gc", "remove old checkpoints of a run by rules", collect_checkpoints},
  };
  return run_subcommand("ckpt", "Looks into checkpoints of any format; needs no devices.",
                        subcommands, words);
}

void checkpoint_word(ArgumentParser& parser, Words& words) {
  parser.positionals(words, "FOLDER", "of a run, whose newest checkpoint it is then, or of a step");
}

checkpoint::Location located(const std::string& command, const Words& words) {
  MW_CHECK(words.size() == 1, "ckpt ", command, ": takes one folder, not ", words.size(),
           "\nsee: meshwright ckpt ", command, " --help");
  return checkpoint::locate(words[0]);
}

checkpoint::Stored open_step(const checkpoint::Location& location,
                             const checkpoint::StepEntry& step) {
  if (!step.is_committed) {
    fail(ErrorCode::not_found, location.files->full_name(step.folder),
         ": is unfinished: it is being saved, or was when its run ended");
  }
  return location.format->open(location.files, step.folder);
}

std::int64_t bytes_of(const checkpoint::Location& location, const checkpoint::StepEntry& step) {
  return bytes_below(*location.files, step.folder);
}

}  // namespace meshwright::cli
