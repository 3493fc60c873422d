// SPDX-License-Identifier: Apache-2.0
// Retention: rules for which checkpoints to keep.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/metrics/event_files.h"

namespace meshwright::checkpoint {

enum class Better { max, min };
inline config::Choices<Better> config_choices(Better) {
  return {{"max", Better::max}, {"min", Better::min}};
}

/// Keeps the best checkpoints by a metric that an evaluator computed when they were saved, or that
/// another program wrote into TensorBoard's event files.
struct KeepBest {
  std::string evaluator;
  std::string metric;
  Better mode = Better::max;
  std::int64_t n = 1;
  std::optional<std::string> event_files = {};
  std::optional<bool> keep_without_metric = {};

  /// Returns a name of the form "evaluator/metric".
  std::string name() const { return evaluator + "/" + metric; }
  bool keeps_without_metric() const {
    return keep_without_metric.value_or(event_files.has_value());
  }

  void fields(auto& f) {
    f.required("evaluator", evaluator, config::kNonEmpty,
               "Evaluator whose metric ranks the checkpoints.");
    f.required("metric", metric, config::kNonEmpty, "Metric that ranks the checkpoints.");
    f.optional("mode", mode, "Whether larger or smaller values are better.");
    f.optional("n", n, config::kPositive,
               "Number of best checkpoints to keep, besides those that other rules keep.");
    f.optional("event_files", event_files, config::kNonEmpty,
               "Folder of TensorBoard's event files, if another program evaluates the checkpoints: "
               "`evaluator` is a folder in it and `metric` a tag.");
    f.optional("keep_without_metric", keep_without_metric,
               "Keep all checkpoints without a value of the metric; otherwise they count as the "
               "worst. `none`: true with event_files, since the value may come later.");
  }
};

/// A checkpoint is kept if any of these rules keeps it, or if it is pinned (pins.h).
struct Retention {
  /// Number of newest checkpoints to keep. If absent, all are kept.
  std::optional<std::int64_t> keep_last_n = 3;
  /// Also keep a checkpoint once this many steps have passed since the last one kept by this rule.
  std::optional<std::int64_t> keep_every_n_steps = {};
  /// Also keep a checkpoint once its time differs by this much, in either direction, from the time
  /// of the last one kept by this rule. A clock that jumps cannot make the rule delete everything.
  std::optional<double> keep_every_seconds = {};
  /// Also keep checkpoints whose step is a multiple of this.
  std::optional<std::int64_t> keep_multiples_of = {};
  std::optional<KeepBest> keep_best = {};

  void fields(auto& f) {
    f.optional("keep_last_n", keep_last_n, config::kPositive,
               "Number of newest checkpoints to keep. `none`: all of them.");
    f.optional("keep_every_n_steps", keep_every_n_steps, config::kPositive,
               "In addition, keep one checkpoint per interval of this many steps.")
        .unit("steps");
    f.optional("keep_every_seconds", keep_every_seconds, config::kPositive,
               "In addition, keep one checkpoint per interval of this many seconds.")
        .unit("seconds");
    f.optional("keep_multiples_of", keep_multiples_of, config::kPositive,
               "In addition, keep checkpoints whose step is a multiple of this.")
        .unit("steps");
    f.optional("keep_best", keep_best, "In addition, keep the best checkpoints by a metric.");
  }
};

/// Input to the rules. Stored in the checkpoint itself, so that the two never get separated.
struct CheckpointFacts {
  std::int64_t step = 0;
  std::optional<std::int64_t> saved_seconds = {};  // since 1970
  std::optional<double> metric = {};               // value of KeepBest's metric
};

/// Returns the steps that the rules would delete, in ascending order.
std::vector<std::int64_t> steps_to_remove(const std::vector<CheckpointFacts>& steps,
                                          const Retention& retention);

/// Adds what `retention` needs to a checkpoint's metadata. `metric` is the value of KeepBest's
/// metric, if its evaluator ran.
void add_facts(Meta& meta,
               const Retention& retention,
               std::optional<double> metric,
               std::int64_t now_seconds);

/// Applies retention to the checkpoints in a run's folder.
class Collector {
 public:
  /// `run_id` is as in ManagerOptions.
  Collector(const Format& format,
            Files files,
            std::string run,
            Retention retention,
            std::optional<std::string> run_id = {});

  /// The result of applying the rules.
  struct Found {
    std::vector<CheckpointEntry> to_remove;  // kept by no rule or pin, in ascending order
    std::vector<Flaw> flaws;                 // unreadable checkpoints, which no rule counts
  };
  /// Applies the rules to all readable checkpoints, whichever run wrote them. If n are readable,
  /// keeps at least min(n, keep_last_n).
  Found find();
  /// Call this after `saved_step` has been committed. Deletes the run's own checkpoints that the
  /// rules do not keep. Checkpoints of other systems or runs, and unreadable ones, are neither
  /// counted nor deleted. Warns about unreadable checkpoints and failed deletions, and if the
  /// previously saved checkpoint is gone.
  void collect(std::int64_t saved_step);
  /// Call this if the run itself has removed its newest checkpoints to go back.
  void forget_last_saved() { last_saved_.reset(); }
  /// True if this run wrote the checkpoint, according to its manifest.
  bool is_own(const Stored& step) const;

 private:
  struct Step {
    CheckpointFacts facts;
    bool is_own = false;
  };

  /// Returns nullopt, and adds to `flaws`, if the checkpoint is unreadable.
  std::optional<Step> look_at(const CheckpointEntry& entry, std::vector<Flaw>& flaws) const;
  Found find(bool only_own);
  void tell_of_loss() const;

  const Format& format_;
  Files files_;
  std::string run_;
  Retention retention_;
  std::optional<std::string> run_id_;
  std::optional<metrics::EventFiles> events_;  // with KeepBest::event_files
  std::set<std::string> told_of_;
  std::optional<std::int64_t> last_saved_;
};

}  // namespace meshwright::checkpoint
