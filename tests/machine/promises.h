// SPDX-License-Identifier: Apache-2.0
// The model: which steps must exist, which may exist, and what they may contain. It knows nothing
// of files. This is the only specification of what a run promises its user.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace meshwright::machine {

/// Thrown if a promise is broken.
struct Violation {
  std::string what;
};

struct Rules {
  std::optional<std::int64_t> keep_last_n, keep_every_n_steps, keep_every_seconds;
};

/// A step that was written, at least in part.
struct Promise {
  /// The contents it may have: either of two after an interrupted replacement.
  std::set<std::string> contents;
  /// True if a save of it was acknowledged.
  bool is_acknowledged = false;
  /// True if its files were changed by others since; it may be unreadable.
  bool is_damaged = false;
  bool is_pinned = false;
  std::int64_t saved_at = 0;

  /// True if it must exist and be readable.
  bool is_sound() const { return is_acknowledged && !is_damaged; }
};

class Promises {
 public:
  /// Records a save, whether it succeeded or not.
  void record_saved(std::int64_t step, std::string contents, std::int64_t now);
  void note_tried(std::int64_t step, std::string contents, std::int64_t now);
  /// Returns null if the model does not know the step.
  Promise* find(std::int64_t step);
  Promise* add(std::int64_t step) { return &all_[step]; }
  void forget(std::int64_t step) { all_.erase(step); }
  void forget_all() { all_.clear(); }

  std::optional<std::int64_t> newest_sound() const;
  bool has_acknowledged() const;
  const std::map<std::int64_t, Promise>& all() const { return all_; }

  /// Throws if a run must not have restored this.
  void check_restored(std::int64_t step, const std::string& contents) const;

  /// Throws if the rules must not have removed a sound step, given that the steps `there` remain.
  /// `before` is the model's state when they were applied.
  void check_removed(const Rules& rules, const std::set<std::int64_t>& there) const;

 private:
  bool may_remove(std::int64_t step,
                  const Promise& promise,
                  const Rules& rules,
                  const std::set<std::int64_t>& there) const;

  std::map<std::int64_t, Promise> all_;
};

}  // namespace meshwright::machine
