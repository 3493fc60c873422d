// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/retention/garbage.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/config/node.h"

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

// By the config in the run's newest checkpoint. Of it only this part is read: the rest may be of
// another version.
checkpoint::Retention retention_of_run(const checkpoint::Location& location) {
  const checkpoint::Stored stored = open_step(location, location.step());
  const checkpoint::Meta* entry = stored.meta.find("config");
  const auto* text =
      entry != nullptr && entry->is_leaf() ? std::get_if<std::string>(&entry->value()) : nullptr;
  MW_CHECK(text != nullptr, "ckpt gc: the checkpoint of step ", stored.step,
           " does not say what its run keeps\nto say it here: --keep-last N");
  const config::Node tree = config::parse_toml(std::make_shared<const config::Source>(
      config::Source{str("the config of step ", stored.step), *text}));
  const config::Node* table = config::find_node(tree, {"checkpoint"});
  checkpoint::Retention out;
  if (table != nullptr) out = config::from_tree<train::CheckpointConfig>(*table).retention;
  std::istringstream rules(config::to_toml(out));
  std::vector<std::string> lines;
  for (std::string line; std::getline(rules, line);)
    lines.push_back(line);
  note("ckpt gc: what its run keeps stays: ", join(lines, ", "));
  return out;
}

// The rules of whoever asks, of the run, or none where only what is damaged is to go and there is
// nothing else.
checkpoint::Retention retention_there(const checkpoint::Location& location, bool takes_damaged) {
  const bool has_step =
      newest_readable(*location.format, location.files, location.steps).has_value();
  if (has_step || !takes_damaged) return retention_of_run(location);
  note("ckpt gc: no checkpoint can be read, so only damaged ones are removed");
  return {.keep_last_n = std::nullopt};
}

void remove_items(const checkpoint::Location& location,
                  const std::vector<checkpoint::Garbage::Item>& items,
                  bool is_dry_run) {
  for (const checkpoint::Garbage::Item& item : items) {
    std::string what = location.files->full_name(item.path);
    if (item.step) {
      const std::int64_t num_bytes = item.step->is_folder ? bytes_of(location, *item.step) : 0;
      what = str("step ", item.step->step, ", ", human_bytes(num_bytes));
    }
    std::cout << printable_message(str(is_dry_run ? "would remove " : "removed ", what, "\n"))
              << std::flush;
    if (!is_dry_run) remove(*location.format, location.files, item);
  }
}

void tell_of_rest(const checkpoint::Location& location, const checkpoint::Garbage& garbage) {
  for (const checkpoint::Flaw& flaw : garbage.flaws)
    std::cout << printable_message(str("cannot be read, and stays: ", flaw.what, "\n"));
  for (const std::string& name : garbage.leftovers) {
    std::cout << printable_message(str(
        "was set aside, and stays until you remove it: ", location.files->full_name(name), "\n"));
  }
}

struct GcArgs {
  Args folder;
  std::optional<std::int64_t> keep_last;
  checkpoint::Retention retention;
  std::string best;
  bool is_smallest = false;
  bool is_dry_run = false;
  bool removes_damaged = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Removes checkpoints of a run except the newest, pinned ones and those kept by a rule: the "
        "rules of the run's config, or those given here. Checkpoints that cannot be read stay and "
        "do not count. Unfinished ones are left to the run.");
    declare_folder(parser, folder);
    parser.option("--keep-last", keep_last, {"N"}, "keep the newest N; at least 1");
    parser.option("--keep-every", retention.keep_every_n_steps, {"N"},
                  "also keep one checkpoint every N steps");
    parser.option("--keep-every-seconds", retention.keep_every_seconds, {"N"},
                  "also keep one every N seconds, in runs with such a rule");
    parser.option("--keep-best", best, {"EVALUATOR/METRIC"},
                  "also keep the one with the largest value, in runs with such a rule");
    parser.flag("--smallest", is_smallest, "with --keep-best: the smallest value is best");
    parser.flag("--damaged", removes_damaged, "also remove damaged checkpoints, set aside or not");
    parser.flag("--dry-run", is_dry_run, "only print what would be removed");
    parser.example("runs/a --dry-run");
    parser.example("runs/a --keep-last 3 --keep-every 10000 --dry-run");
  }

  bool has_rules() const {
    return keep_last || retention.keep_every_n_steps || retention.keep_every_seconds ||
           !best.empty();
  }

  void check() const {
    MW_CHECK(!has_rules() || keep_last.value_or(0) >= 1,
             "ckpt gc: --keep-last N says how many stay, at least 1");
    MW_CHECK(!retention.keep_every_n_steps || *retention.keep_every_n_steps >= 1,
             "ckpt gc: --keep-every takes a number of steps, at least 1");
    MW_CHECK(!retention.keep_every_seconds || *retention.keep_every_seconds > 0,
             "ckpt gc: --keep-every-seconds takes a time, more than 0");
  }
};

int collect(const GcArgs& args) {
  args.check();
  checkpoint::Retention retention = args.retention;
  retention.keep_last_n = args.keep_last;
  if (!args.best.empty()) retention.keep_best = best_by(args.best, args.is_smallest);
  const checkpoint::Location location = located("gc", args.folder);
  MW_CHECK(!location.named, "ckpt gc: takes the folder of a run, not that of one step");
  if (!args.has_rules()) retention = retention_there(location, args.removes_damaged);
  const checkpoint::Garbage garbage = checkpoint::find_garbage(
      *location.format, location.files, location.run, retention, args.removes_damaged);
  remove_items(location, garbage.items, args.is_dry_run);
  tell_of_rest(location, garbage);
  return 0;
}

}  // namespace

CommandBody collect_checkpoints(const std::string& name) {
  return make_ckpt_command<GcArgs>(name, collect);
}

}  // namespace meshwright::cli
