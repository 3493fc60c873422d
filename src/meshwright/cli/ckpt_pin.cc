// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/cli/ckpt_commands.h"

namespace meshwright::cli {
namespace {

const char* outcome(bool was_pinned, bool pins) {
  if (pins) return was_pinned ? "was pinned already:" : "pinned";
  return was_pinned ? "unpinned" : "was not pinned:";
}

// All are found before anything changes: a mistyped name changes nothing.
int for_each_named(const Args& args, ArgumentParser parser, bool pins) {
  Args folders;
  parser.positionals(folders, "FOLDER...",
                     "run folders (their newest checkpoints) or checkpoint folders");
  parser.example("runs/a/checkpoints/step_00001000");
  if (!parser.parse(args)) return 0;
  MW_CHECK(!folders.empty(), "ckpt: which checkpoint?\nsee: meshwright ckpt --help");
  std::vector<checkpoint::Location> found;
  for (const std::string& folder : folders) {
    found.push_back(checkpoint::locate(folder));
    MW_CHECK(found.back().step().is_committed, folder, ": is not complete");
  }
  for (const checkpoint::Location& location : found) {
    const std::string& folder = location.step().folder;
    const bool was_pinned = checkpoint::is_pinned(*location.files, folder);
    (pins ? checkpoint::pin : checkpoint::unpin)(*location.files, folder);
    std::cout << outcome(was_pinned, pins) << " "
              << printable_name(location.files->full_name(folder)) << "\n";
  }
  return 0;
}

}  // namespace

int pin_checkpoints(const Args& args) {
  return for_each_named(
      args,
      ArgumentParser("ckpt pin", "Protects checkpoints from removal by the run and by `ckpt gc`."),
      /*pins=*/true);
}

int unpin_checkpoints(const Args& args) {
  return for_each_named(
      args, ArgumentParser("ckpt unpin", "Lets retention rules remove pinned checkpoints again."),
      /*pins=*/false);
}

}  // namespace meshwright::cli
