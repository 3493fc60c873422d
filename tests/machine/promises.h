// SPDX-License-Identifier: Apache-2.0
// The model: which steps there must be, which there may be, and what may stand in them. It knows
// nothing of files; what a run promises its user is said here and nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace meshwright::machine {

/// Thrown where something came out that must not.
struct Violation {
  std::string what;
};

struct Rules {
  std::optional<std::int64_t> keep_last_n, keep_every_n_steps, keep_every_seconds;
};

/// A step that was written, at least in part.
struct Promise {
  /// What it may hold: of an overwriting that was interrupted, either.
  std::set<std::string> contents;
  /// Some save of it was acknowledged.
  bool is_acknowledged = false;
  /// Somebody else changed its files since; it may be unreadable now.
  bool is_damaged = false;
  bool is_pinned = false;
  std::int64_t saved_at = 0;

  /// It must be there, and readable.
  bool is_sound() const { return is_acknowledged && !is_damaged; }
};

class Promises {
 public:
  /// A save that ended well, or that did not.
  void note_saved(std::int64_t step, std::string contents, std::int64_t now);
  void note_tried(std::int64_t step, std::string contents, std::int64_t now);
  /// Nothing if the model does not know it.
  Promise* find(std::int64_t step);
  Promise* add(std::int64_t step) { return &all_[step]; }
  void forget(std::int64_t step) { all_.erase(step); }
  void forget_all() { all_.clear(); }

  std::optional<std::int64_t> newest_sound() const;
  bool has_acknowledged() const;
  const std::map<std::int64_t, Promise>& all() const { return all_; }

  /// Throws if a run that restored this may not have.
  void check_restored(std::int64_t step, const std::string& contents) const;

  /// Throws if rules, applied to these steps when `there` are left, may not have removed one that
  /// is sound. `before` is what the model knew when they were applied.
  void check_removed(const Rules& rules, const std::set<std::int64_t>& there) const;

 private:
  bool may_remove(std::int64_t step,
                  const Promise& promise,
                  const Rules& rules,
                  const std::set<std::int64_t>& there) const;

  std::map<std::int64_t, Promise> all_;
};

}  // namespace meshwright::machine
