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

// Returns where "inference_eval/x/eval/accuracy" divides into a folder of event files and a tag:
// after the longest name of a folder. Without event files, after the name of the evaluator.
std::size_t slash_in(const std::string& name, const std::optional<std::string>& event_files) {
  if (!event_files) return name.find('/');
  const auto files = io::open_file_system(*event_files);
  std::size_t out = name.rfind('/');
  while (out != std::string::npos && out > 0 && !io::is_folder(*files, name.substr(0, out)))
    out = name.rfind('/', out - 1);
  return out;
}

checkpoint::KeepBest best_by(const std::string& name,
                             bool is_smallest,
                             const std::optional<std::string>& event_files) {
  const std::size_t slash = slash_in(name, event_files);
  MW_CHECK(slash != std::string::npos && slash > 0 && slash + 1 < name.size(),
           "ckpt gc: --keep-best takes ", event_files ? "FOLDER/TAG" : "EVALUATOR/METRIC",
           ", not '", name, "'",
           event_files ? str("; no folder in ", *event_files, " is its beginning") : "");
  return {.evaluator = name.substr(0, slash),
          .metric = name.substr(slash + 1),
          .mode = is_smallest ? checkpoint::Better::min : checkpoint::Better::max,
          .event_files = event_files};
}

// Reads only the retention rules from the config in the newest checkpoint: another version may have
// written the rest.
checkpoint::Retention retention_of_run(const checkpoint::Location& location) {
  const checkpoint::Stored stored = open_step(location, location.step());
  const std::optional<config::Node> tree = find_recorded_config(stored);
  MW_CHECK(tree.has_value(), "ckpt gc: the checkpoint of step ", stored.step,
           " does not record its run's retention rules\nto give them here: --keep-last N");
  const config::Node* table = config::find_node(*tree, {"checkpoint"});
  checkpoint::Retention out;
  if (table != nullptr) out = config::from_tree<train::CheckpointConfig>(*table).retention;
  std::istringstream rules(config::to_toml(out));
  std::vector<std::string> lines;
  for (std::string line; std::getline(rules, line);)
    lines.push_back(line);
  log_info("ckpt gc: applying the retention rules of the run: ", join(lines, ", "));
  return out;
}

// Returns the run's rules; none if only damaged checkpoints exist and those are to be removed.
checkpoint::Retention retention_there(const checkpoint::Location& location, bool takes_damaged) {
  const bool has_step =
      newest_readable(*location.format, location.files, location.steps).has_value();
  if (has_step || !takes_damaged) return retention_of_run(location);
  log_info("ckpt gc: no checkpoint can be read: removing only damaged ones");
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
    std::cout << printable_message(str("kept although unreadable: ", flaw.what, "\n"));
  for (const std::string& name : garbage.leftovers) {
    std::cout << printable_message(
        str("set aside; remove it yourself: ", location.files->full_name(name), "\n"));
  }
}

struct GcArgs {
  Args folder;
  std::optional<std::int64_t> keep_last;
  checkpoint::Retention retention;
  std::string best;
  bool is_smallest = false;
  std::int64_t num_best = 1;
  std::optional<std::string> event_files;
  bool drops_without_metric = false;
  bool is_dry_run = false;
  bool removes_damaged = false;
  std::optional<std::int64_t> keep_iterators;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Removes checkpoints of a run except the newest, pinned ones and those kept by a rule: the "
        "rules of the run's config, or those given here. Unreadable checkpoints are kept and not "
        "counted. Unfinished ones are also kept; the run removes them when it resumes.");
    declare_folder(parser, folder);
    parser.option("--keep-last", keep_last, {"N"}, "keep the newest N; at least 1");
    parser.option("--keep-every", retention.keep_every_n_steps, {"N"},
                  "also keep one checkpoint every N steps");
    parser.option("--keep-every-seconds", retention.keep_every_seconds, {"N"},
                  "also keep one every N seconds, in runs with such a rule");
    parser.option("--keep-multiples-of", retention.keep_multiples_of, {"N"},
                  "also keep those whose step is a multiple of N");
    parser.option("--keep-best", best, {"EVALUATOR/METRIC"},
                  "also keep the one with the largest value, in runs with such a rule");
    parser.flag("--smallest", is_smallest, "with --keep-best: the smallest value is best");
    parser.option("--num-best", num_best, {"N"}, "with --keep-best: keep the best N");
    parser.option("--event-files", event_files, {"FOLDER", Offer::folders},
                  "with --keep-best: read the metric from TensorBoard's event files below this "
                  "folder, as FOLDER/TAG; those without a value are kept");
    parser.flag("--drop-without-metric", drops_without_metric,
                "with --event-files: do not keep those without a value");
    parser.option("--keep-iterators", keep_iterators, {"N"},
                  "in folders of T5X: remove the files train_ds* of its data iterators, except in "
                  "the newest N checkpoints that have them; by itself, removes no checkpoint");
    parser.flag("--damaged", removes_damaged, "also remove damaged checkpoints, set aside or not");
    parser.flag("--dry-run", is_dry_run, "only print what would be removed");
    parser.example("runs/a --dry-run");
    parser.example("runs/a --keep-last 3 --keep-every 10000 --dry-run");
    parser.example("t5x_run --keep-last 1 --keep-best train/accuracy --event-files t5x_run");
  }

  bool has_rules() const {
    return keep_last || retention.keep_every_n_steps || retention.keep_every_seconds ||
           retention.keep_multiples_of || !best.empty();
  }

  void check() const {
    MW_CHECK(!has_rules() || keep_last.value_or(0) >= 1,
             "ckpt gc: rules need --keep-last N, with N at least 1");
    MW_CHECK(!retention.keep_every_n_steps || *retention.keep_every_n_steps >= 1,
             "ckpt gc: --keep-every must be at least 1");
    MW_CHECK(!retention.keep_multiples_of || *retention.keep_multiples_of >= 1,
             "ckpt gc: --keep-multiples-of must be at least 1");
    MW_CHECK(keep_iterators.value_or(1) >= 1, "ckpt gc: --keep-iterators must be at least 1");
    MW_CHECK(num_best >= 1, "ckpt gc: --num-best must be at least 1");
    MW_CHECK(!best.empty() || (!event_files && !drops_without_metric && num_best == 1),
             "ckpt gc: --num-best, --event-files and --drop-without-metric need --keep-best");
    MW_CHECK(!retention.keep_every_seconds || *retention.keep_every_seconds > 0,
             "ckpt gc: --keep-every-seconds must be positive");
  }
};

int collect(const GcArgs& args) {
  args.check();
  checkpoint::Retention retention = args.retention;
  retention.keep_last_n = args.keep_last;
  if (!args.best.empty()) {
    retention.keep_best = best_by(args.best, args.is_smallest, args.event_files);
    retention.keep_best->n = args.num_best;
    if (args.drops_without_metric) retention.keep_best->keep_without_metric = false;
  }
  const checkpoint::Location location = located("gc", args.folder);
  MW_CHECK(!location.named, "ckpt gc: takes a run folder, not a checkpoint folder");
  MW_CHECK(location.format != nullptr, "ckpt gc: ", args.folder[0], " has checkpoints of ",
           location.container->name(), ", which are not removed");
  const bool has_rules = args.has_rules();
  if (has_rules || !args.keep_iterators) {
    if (!has_rules) retention = retention_there(location, args.removes_damaged);
    const checkpoint::Garbage garbage = checkpoint::find_garbage(
        *location.format, location.files, location.run, retention, args.removes_damaged);
    remove_items(location, garbage.items, args.is_dry_run);
    tell_of_rest(location, garbage);
  }
  if (args.keep_iterators) {
    remove_items(
        location,
        find_old_iterators(*location.format, location.files, location.run, *args.keep_iterators),
        args.is_dry_run);
  }
  return 0;
}

}  // namespace

CommandBody collect_checkpoints(const std::string& name) {
  return make_ckpt_command<GcArgs>(name, collect);
}

}  // namespace meshwright::cli
