// SPDX-License-Identifier: Apache-2.0
// Where the time of a run goes, over all processes that trained it one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/meta.h"
#include "meshwright/io/file_system.h"
#include "meshwright/metrics/event.h"
#include "meshwright/train/pace.h"

namespace meshwright::train {

/// What a moment is spent on.
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

/// Seconds by what they were spent on.
struct TimeSpent {
  std::array<double, kNumSpent> seconds = {};

  double& operator[](Spent what) { return seconds[static_cast<std::size_t>(what)]; }
  double operator[](Spent what) const { return seconds[static_cast<std::size_t>(what)]; }
  double total() const;
  /// The part of it that went into steps whose results are there; 0 of nothing.
  double goodput() const;
  /// The steps since `then` are undone.
  void lose_steps_since(const TimeSpent& then);
};

/// "2h 07m since the run began: steps 91.3%, waiting for data 3.0%, compiling 2.1%", without what
/// rounds to nothing.
std::string text_of(const TimeSpent& spent);
/// "perf/goodput", "seconds/total", "seconds/steps" and so on, for files.
std::vector<metrics::Entry> entries_of(const TimeSpent& spent);
/// What was told last in a metrics.jsonl; nothing spent if that is unknown.
TimeSpent last_told(const io::FileSystem& files, const std::string& metrics_jsonl);

/// For checkpoints, and what they say; nothing spent if they do not.
checkpoint::Meta meta_of(const TimeSpent& spent);
TimeSpent time_spent(const checkpoint::Meta* meta);

/// Counts each moment once.
class TimeAccount {
 public:
  /// `began`, by `now`: what was before this account is counted too.
  explicit TimeAccount(std::optional<double> began = {},
                       std::function<double()> now = steady_seconds);

  /// What follows is this.
  void turn_to(Spent what);
  TimeSpent so_far() const;
  /// Adds what earlier processes spent: as they told last, or, if that is older, as the checkpoint
  /// says that this one goes on from. The steps in between are lost.
  void continue_from(const TimeSpent& told, const TimeSpent& saved);
  /// The run goes back to this.
  void lose_steps_since(const TimeSpent& saved);

  /// Until it ends time is spent on this, and then on what it was before.
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
