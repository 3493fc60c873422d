// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/manager.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"

namespace meshwright::cli {
namespace {

std::vector<checkpoint::StepEntry> steps_to_collect(const checkpoint::Location& location,
                                                    const checkpoint::Retention& retention) {
  std::vector<std::int64_t> committed;
  for (const checkpoint::StepEntry& step : location.steps)
    if (step.is_committed) committed.push_back(step.step);
  const std::vector<std::int64_t> chosen = checkpoint::steps_to_remove(committed, retention);
  std::vector<checkpoint::StepEntry> out;
  for (const checkpoint::StepEntry& step : location.steps)
    if (step.is_committed && std::ranges::find(chosen, step.step) != chosen.end())
      out.push_back(step);
  return out;
}

}  // namespace

int collect_checkpoints(const Words& words) {
  ArgumentParser parser("ckpt gc",
                        "Removes committed checkpoints of a run but for the newest and those kept "
                        "every so many steps. Unfinished ones are left to the run itself.");
  Words folder;
  std::int64_t keep_last = 0;
  checkpoint::Retention retention;
  bool is_dry_run = false;
  checkpoint_word(parser, folder);
  parser.option("--keep-last", keep_last, "N", "the newest N stay; at least 1");
  parser.option("--keep-every", retention.keep_every_n_steps, "N",
                "beside those, one stays whenever N steps have passed");
  parser.flag("--dry-run", is_dry_run, "only say what would go");
  parser.example("runs/a --keep-last 3 --keep-every 10000 --dry-run");
  if (!parser.parse(words)) return 0;
  MW_CHECK(keep_last >= 1, "ckpt gc: --keep-last N says how many stay, at least 1");
  MW_CHECK(!retention.keep_every_n_steps || *retention.keep_every_n_steps >= 1,
           "ckpt gc: --keep-every takes a number of steps, at least 1");
  retention.keep_last_n = keep_last;
  const checkpoint::Location location = located("gc", folder);
  MW_CHECK(!location.named, "ckpt gc: takes the folder of a run, not that of one step");
  for (const checkpoint::StepEntry& step : steps_to_collect(location, retention)) {
    std::cout << (is_dry_run ? "would remove step " : "removed step ") << step.step << ", "
              << human_bytes(bytes_of(location, step)) << std::endl;
    if (!is_dry_run) location.format->remove(location.files, step.folder);
  }
  return 0;
}

}  // namespace meshwright::cli
