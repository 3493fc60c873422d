// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/retention.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"

namespace meshwright::cli {
namespace {

// Of "held_out/loss" the part before the slash is the evaluator's.
checkpoint::KeepBest best_by(const std::string& name, bool is_smallest) {
  const std::size_t slash = name.find('/');
  MW_CHECK(slash != std::string::npos && slash > 0 && slash + 1 < name.size(),
           "ckpt gc: --keep-best takes EVALUATOR/METRIC, not '", name, "'");
  return {.evaluator = name.substr(0, slash),
          .metric = name.substr(slash + 1),
          .mode = is_smallest ? checkpoint::Better::min : checkpoint::Better::max};
}

}  // namespace

int collect_checkpoints(const Words& words) {
  ArgumentParser parser("ckpt gc",
                        "Removes committed checkpoints of a run but for the newest, the pinned "
                        "and those that a rule keeps. Unfinished ones are left to the run itself.");
  Words folder;
  std::int64_t keep_last = 0;
  checkpoint::Retention retention;
  std::string best;
  bool is_smallest = false;
  bool is_dry_run = false;
  checkpoint_word(parser, folder);
  parser.option("--keep-last", keep_last, "N", "the newest N stay; at least 1");
  parser.option("--keep-every", retention.keep_every_n_steps, "N",
                "beside those, one stays whenever N steps have passed");
  parser.option("--keep-every-seconds", retention.keep_every_seconds, "N",
                "and one whenever N seconds have passed, in runs that keep so");
  parser.option("--keep-best", best, "EVALUATOR/METRIC",
                "and the one with the largest value, in runs that keep by this metric");
  parser.flag("--smallest", is_smallest, "it is the smallest value that is best");
  parser.flag("--dry-run", is_dry_run, "only say what would go");
  parser.example("runs/a --keep-last 3 --keep-every 10000 --dry-run");
  if (!parser.parse(words)) return 0;
  MW_CHECK(keep_last >= 1, "ckpt gc: --keep-last N says how many stay, at least 1");
  MW_CHECK(!retention.keep_every_n_steps || *retention.keep_every_n_steps >= 1,
           "ckpt gc: --keep-every takes a number of steps, at least 1");
  retention.keep_last_n = keep_last;
  if (!best.empty()) retention.keep_best = best_by(best, is_smallest);
  const checkpoint::Location location = located("gc", folder);
  MW_CHECK(!location.named, "ckpt gc: takes the folder of a run, not that of one step");
  checkpoint::Collector collector(*location.format, location.files, location.run, retention);
  for (const checkpoint::StepEntry& step : collector.find()) {
    std::cout << (is_dry_run ? "would remove step " : "removed step ") << step.step << ", "
              << human_bytes(bytes_of(location, step)) << std::endl;
    if (!is_dry_run) location.format->remove(location.files, step.folder);
  }
  return 0;
}

}  // namespace meshwright::cli
