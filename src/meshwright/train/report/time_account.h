// SPDX-License-Identifier: Apache-2.0
// Accounts for a run's time across restarts.
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
  compiling,  // compiling the step
  restoring,  // or initialising the state, during compilation
  data_wait,  // while the devices are idle
  steps,
  evaluating,
  saving,    // while training waits for the save
  checking,  // recomputing updates to compare them
  lost,      // steps whose results were discarded after an interruption or a rewind
};
inline constexpr std::size_t kNumSpent = 9;

/// Seconds by category.
struct TimeSpent {
  std::array<double, kNumSpent> seconds = {};

  double& operator[](Spent what) { return seconds[static_cast<std::size_t>(what)]; }
  double operator[](Spent what) const { return seconds[static_cast<std::size_t>(what)]; }
  double total() const;
  /// Returns the fraction spent in steps whose results were kept; 0 if no time was spent.
  double goodput() const;
  /// Counts the steps since `then` as lost.
  void lose_steps_since(const TimeSpent& then);
};

/// Returns text such as "2h 07m since the run began: steps 91.3%, waiting for data 3.0%, compiling
/// 2.1%", omitting categories that round to zero.
std::string text_of(const TimeSpent& spent);
/// Returns metrics "perf/goodput", "seconds/total", "seconds/steps" and so on, for files.
std::vector<metrics::Entry> entries_of(const TimeSpent& spent);
/// Returns the account last reported in a metrics.jsonl; zero if unknown.
TimeSpent last_told(const io::FileSystem& files, const std::string& metrics_jsonl);

/// Convert to and from checkpoint metadata; zero if it is absent.
checkpoint::Meta meta_of(const TimeSpent& spent);
TimeSpent time_spent(const checkpoint::Meta* meta);

/// Assigns every moment to one category.
class TimeAccount {
 public:
  /// `began` is an earlier value of `now`; the time since then is included.
  explicit TimeAccount(std::optional<double> began = {},
                       std::function<double()> now = steady_seconds);

  /// Switches to this category.
  void turn_to(Spent what);
  TimeSpent so_far() const;
  /// Adds the time of earlier processes: `told`, as last reported, or `saved`, from the checkpoint
  /// that this process continues from, whichever is newer. Steps between the two count as lost.
  void continue_from(const TimeSpent& told, const TimeSpent& saved);
  /// Counts the steps since the account `saved` as lost.
  void lose_steps_since(const TimeSpent& saved);

  /// Switches the category for the lifetime of this object.
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
  double since_;  // start of the time not yet counted
  Spent what_ = Spent::starting;
  TimeSpent spent_;
};

}  // namespace meshwright::train
