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
  if (pins) return was_pinned ? "already pinned:" : "pinned";
  return was_pinned ? "unpinned" : "not pinned:";
}

// Finds all checkpoints before it changes any, so that a mistyped name changes nothing.
int change_pins(const Args& folders, bool pins) {
  MW_CHECK(!folders.empty(), "ckpt: no checkpoint given\nsee: meshwright ckpt --help");
  std::vector<checkpoint::Location> found;
  for (const std::string& folder : folders) {
    found.push_back(checkpoint::locate(folder));
    MW_CHECK(found.back().format != nullptr, folder,
             ": belongs to no run that removes checkpoints");
    MW_CHECK(found.back().step().is_committed, folder, ": is not a complete checkpoint");
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

struct PinArgs {
  Args folders;

  void declare(ArgumentParser& parser) {
    parser.description("Protects checkpoints from removal by the run and by `ckpt gc`.");
    declare_folders(parser);
  }

 protected:
  void declare_folders(ArgumentParser& parser) {
    parser.positionals(folders, {"FOLDER...", Offer::folders},
                       "run folders (their newest checkpoints) or checkpoint folders");
    parser.example("runs/a/checkpoints/step_00001000");
  }
};

struct UnpinArgs : PinArgs {
  void declare(ArgumentParser& parser) {
    parser.description("Lets retention rules remove pinned checkpoints again.");
    declare_folders(parser);
  }
};

}  // namespace

CommandBody pin_checkpoints(const std::string& name) {
  return make_ckpt_command<PinArgs>(
      name, [](const PinArgs& args) { return change_pins(args.folders, /*pins=*/true); });
}

CommandBody unpin_checkpoints(const std::string& name) {
  return make_ckpt_command<UnpinArgs>(
      name, [](const UnpinArgs& args) { return change_pins(args.folders, /*pins=*/false); });
}

}  // namespace meshwright::cli
