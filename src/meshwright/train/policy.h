// SPDX-License-Identifier: Apache-2.0
// When something is done: at which boundaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"
#include "meshwright/train/boundary.h"

namespace meshwright::train {

// At the boundary where a run of the program begins, AtStart decides alone once something was
// restored: what else was due there was done by the run before.

/// Steps that are multiples of n.
struct EveryN {
  std::int64_t n = 1;
  std::int64_t min_step = 1;
  bool from_start = false;   // count from where this run of the program began, as T5X does
  bool and_last = false;     // also where the work is done
  bool except_last = false;  // never where the work is done, as seqax
};

/// Big Vision's itstime: multiples of n but for those shortly before the end; the first; the last.
struct ItsTime {
  std::int64_t n = 1;
  bool first = true;
  bool last = true;
  double drop_close_to_last = 0.25;  // of n
};

/// So many steps from the first on.
struct FirstSteps {
  std::int64_t count = 1;
  bool from_start = false;
};

struct AtSteps {
  std::vector<std::int64_t> steps;
};

/// Before the first update of a run of the program.
struct AtStart {
  bool fresh = true;      // nothing was restored
  bool resumed = false;   // something was, and there is work left
  bool finished = false;  // something was, and all work is done
};

/// Where the work is done.
struct AtLast {};

/// The first boundary after so much time.
struct EverySeconds {
  double seconds = 60;
};

/// Where an evaluator found a better value than ever before. It must have run at this boundary.
struct BestMetric {
  enum class Mode { max, min };
  std::string evaluator;
  std::string metric;
  Mode mode = Mode::max;
};

using PolicyConfig =
    std::variant<EveryN, ItsTime, FirstSteps, AtSteps, AtStart, AtLast, EverySeconds, BestMetric>;

/// One policy with what it remembers.
class Policy {
 public:
  /// Throws invalid_argument for numbers that make no sense.
  explicit Policy(PolicyConfig config);

  /// Whether it is time, and remembers what it must if so; call once per boundary. Throws
  /// invalid_argument if BestMetric's evaluator ran and has no such metric.
  bool is_due(const Boundary& boundary);

  /// What must outlive the process: a leaf "best" for BestMetric, else nothing.
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  bool is_better(const BestMetric& config, const Boundary& boundary);

  PolicyConfig config_;
  std::optional<double> best_;
  double due_seconds_ = 0;
};

/// Several policies; any of them makes it due.
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
