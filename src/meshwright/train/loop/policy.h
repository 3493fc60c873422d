// SPDX-License-Identifier: Apache-2.0
// Policies: rules that decide at which boundaries something is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/loop/boundary.h"

namespace meshwright::train {

// At the boundary where a resumed process begins, only AtStart can be due: the earlier process has
// done everything else that was due there.

/// Due at multiples of n.
struct EveryN {
  static constexpr char kType[] = "every_n";

  std::int64_t n = 1;
  std::int64_t min_step = 1;
  bool from_start = false;   // count from the step at which this process began, as T5X does
  bool and_last = false;     // also at the last step
  bool except_last = false;  // not at the last step, as in seqax

  void fields(auto& f) {
    f.required("n", n, config::kPositive, "At every step that is a multiple of n.");
    f.optional("min_step", min_step, config::kNotNegative, "Not before this step.");
    f.optional("from_start", from_start, "Count from the step at which this process began.");
    f.optional("and_last", and_last, "Also at the last step.");
    f.optional("except_last", except_last, "Not at the last step.");
    f.check(
        "except_last", [this] { return !(and_last && except_last); }, "not be set with and_last");
  }
};

/// Due once per duration, in any unit. Used in configs; in_steps() converts it to EveryN.
struct Every {
  static constexpr char kType[] = "every";

  optim::DurationConfig duration;
  bool and_last = true;

  void fields(auto& f) {
    f.required("duration", duration, "Interval: '0.5 epochs', '10%', '1e6 examples'.");
    f.optional("and_last", and_last, "Also at the last step.");
  }
};

/// Big Vision's itstime: due at the first step, at the last, and at multiples of n except shortly
/// before the end.
struct ItsTime {
  static constexpr char kType[] = "its_time";

  std::int64_t n = 1;
  bool first = true;
  bool last = true;
  double drop_close_to_last = 0.25;  // fraction of n

  void fields(auto& f) {
    f.required("n", n, config::kPositive, "At every step that is a multiple of n.");
    f.optional("first", first, "Also at step 1.");
    f.optional("last", last, "Also at the last step.");
    f.optional("drop_close_to_last", drop_close_to_last, config::kNotNegative,
               "Skip a step if less than this fraction of n remains.");
  }
};

/// Due at the first steps.
struct FirstSteps {
  static constexpr char kType[] = "first_steps";

  std::int64_t count = 1;
  bool from_start = false;

  void fields(auto& f) {
    f.required("count", count, config::kPositive, "Number of steps.");
    f.optional("from_start", from_start, "Count from the start of this process instead of step 0.");
  }
};

struct AtSteps {
  static constexpr char kType[] = "at_steps";

  std::vector<std::int64_t> steps;

  void fields(auto& f) { f.required("steps", steps, "At these steps."); }
};

/// Due before the first update of a process.
struct AtStart {
  static constexpr char kType[] = "at_start";

  bool fresh = true;      // due if no checkpoint was restored
  bool resumed = false;   // due if one was restored and steps remain
  bool finished = false;  // due if one was restored and no step remains

  void fields(auto& f) {
    f.optional("fresh", fresh, "When no checkpoint was restored.");
    f.optional("resumed", resumed, "When a checkpoint was restored and steps remain.");
    f.optional("finished", finished, "When a checkpoint was restored and no step remains.");
  }
};

/// Due at the last boundary.
struct AtLast {
  static constexpr char kType[] = "at_last";

  void fields(auto&) {}
};

/// Due at the first boundary after a time interval.
struct EverySeconds {
  static constexpr char kType[] = "every_seconds";

  double seconds = 60;

  void fields(auto& f) {
    f.required("seconds", seconds, config::kPositive, "At the first step after this much time.");
  }
};

using checkpoint::Better;

/// Due if an evaluator, which must have run at this boundary, reaches its best value so far.
struct BestMetric {
  static constexpr char kType[] = "best_metric";

  std::string evaluator;
  std::string metric;
  Better mode = Better::max;

  void fields(auto& f) {
    f.required("evaluator", evaluator, config::kNonEmpty,
               "Evaluator whose metric counts. It must run earlier at the same boundary: "
               "order.boundary needs `eval` before `log` or `save`.");
    f.required("metric", metric, config::kNonEmpty, "Metric that counts.");
    f.optional("mode", mode, "Whether larger or smaller values are better.");
  }
};

using PolicyConfig = std::
    variant<EveryN, Every, ItsTime, FirstSteps, AtSteps, AtStart, AtLast, EverySeconds, BestMetric>;

/// Due if any of the policies is due. A config may give a single policy without a list.
using When = config::OneOrMore<PolicyConfig>;
/// Returns a policy for multiples of n and the last step.
inline When every(std::int64_t n) {
  return {EveryN{.n = n, .and_last = true}};
}

/// Replaces each Every with the equivalent EveryN for a run of this length. Throws
/// invalid_argument, naming `what`, if `run` lacks a quantity that a unit needs.
When in_steps(When when, const optim::RunLength& run, std::string_view what);

/// Returns an evaluator's result at this boundary; nullopt if it did not run. Throws
/// invalid_argument if it ran but has no such metric.
std::optional<double> find_result(const Boundary& boundary,
                                  const std::string& evaluator,
                                  const std::string& metric);

/// A policy and its state.
class Policy {
 public:
  /// Throws invalid_argument if a number is invalid.
  explicit Policy(PolicyConfig config);

  /// True if the policy is due; updates its state. Must be called once per boundary. Throws
  /// invalid_argument if BestMetric's evaluator ran and has no such metric.
  bool is_due(const Boundary& boundary);

  /// State to keep across restarts: a leaf "best" for BestMetric, otherwise empty.
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  bool is_better(const BestMetric& config, const Boundary& boundary);

  PolicyConfig config_;
  std::optional<double> best_;
  double due_seconds_ = 0;
};

/// A list of policies, due if any of them is due.
class Policies {
 public:
  Policies() = default;
  explicit Policies(const std::vector<PolicyConfig>& configs);

  bool is_due(const Boundary& boundary);
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  std::vector<Policy> policies_;
};

}  // namespace meshwright::train

namespace meshwright::config {
extern template const Type& type_of<train::When>();
}
