// SPDX-License-Identifier: Apache-2.0
// Accounts for the time of a run, across restarts.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/io/file_system.h"
#include "meshwright/metrics/event.h"
#include "meshwright/train/report/pace.h"

namespace meshwright::train {

/// Categories of time.
enum class Spent {
  starting,   // config, devices, data
  compiling,  // the step
  restoring,  // or making the first state; the compiler works meanwhile
  data_wait,  // while the devices had nothing to do
  steps,
  evaluating,
  saving,    // as far as training waits for it
  checking,  // updates, by computing them once more
  lost,      // on steps of which nothing is left after an interruption or a rewind
};
inline constexpr std::size_t kNumSpent = 9;

/// Seconds by category.
struct TimeSpent {
  std::array<double, kNumSpent> seconds = {};

  double& operator[](Spent what) { return seconds[static_cast<std::size_t>(what)]; }
  double operator[](Spent what) const { return seconds[static_cast<std::size_t>(what)]; }
  double total() const;
  /// The fraction spent in steps whose results were kept; 0 if no time was spent.
  double goodput() const;
  /// Counts the steps since `then` as lost.
  void lose_steps_since(const TimeSpent& then);
};

/// "2h 07m since the run began: steps 91.3%, waiting for data 3.0%, compiling 2.1%", without what
/// rounds to nothing.
std::string text_of(const TimeSpent& spent);
/// "perf/goodput", "seconds/total", "seconds/steps" and so on, for files.
std::vector<metrics::Entry> entries_of(const TimeSpent& spent);
/// What was told last in a metrics.jsonl; nothing spent if that is unknown.
TimeSpent last_told(const io::FileSystem& files, const std::string& metrics_jsonl);

/// Conversion to and from checkpoint metadata; nothing spent if it is absent.
checkpoint::Meta meta_of(const TimeSpent& spent);
TimeSpent time_spent(const checkpoint::Meta* meta);

/// Assigns every moment to one category.
class TimeAccount {
 public:
  /// `began`, by `now`: what was before this account is counted too.
  explicit TimeAccount(std::optional<double> began = {},
                       std::function<double()> now = steady_seconds);

  /// Switches to this category.
  void turn_to(Spent what);
  TimeSpent so_far() const;
  /// Adds what earlier processes spent: as they told last, or, if that is older, as the checkpoint
  /// says that this one goes on from. The steps in between are lost.
  void continue_from(const TimeSpent& told, const TimeSpent& saved);
  /// Goes back to an earlier account.
  void lose_steps_since(const TimeSpent& saved);

  /// Switches the category while it lives.
  class Span {
   public:
    Span(TimeAccount& account, Spent what) : account_(account), before_(account.what_) {
      account_.turn_to(what);
    }
    ~Span() { account_.turn_to(before_); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    TimeAccount& account_;
    Spent before_;
  };

 private:
  std::function<double()> now_;
  double since_;  // which is not counted yet
  Spent what_ = Spent::starting;
  TimeSpent spent_;
};

}  // namespace meshwright::train
