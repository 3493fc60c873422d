// SPDX-License-Identifier: Apache-2.0
#include "promises.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright::machine {

void Promises::record_saved(std::int64_t step, std::string contents, std::int64_t now) {
  const bool is_pinned = all_[step].is_pinned;
  all_[step] = {{std::move(contents)}, true, false, is_pinned, now};
}

void Promises::note_tried(std::int64_t step, std::string contents, std::int64_t now) {
  Promise& promise = all_[step];
  promise.contents.insert(std::move(contents));
  if (!promise.is_acknowledged) promise.saved_at = now;
}

Promise* Promises::find(std::int64_t step) {
  const auto found = all_.find(step);
  return found == all_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Promises::newest_sound() const {
  for (auto one = all_.rbegin(); one != all_.rend(); ++one)
    if (one->second.is_sound()) return one->first;
  return std::nullopt;
}

bool Promises::has_acknowledged() const {
  return std::ranges::any_of(all_, [](const auto& one) { return one.second.is_acknowledged; });
}

void Promises::check_restored(std::int64_t step, const std::string& contents) const {
  const auto found = all_.find(step);
  if (found == all_.end()) throw Violation{str("restored step ", step, ", which was never saved")};
  if (!found->second.contents.contains(contents))
    throw Violation{str("restored step ", step, " with contents that were never saved")};
  const std::optional<std::int64_t> newest = newest_sound();
  if (newest && step < *newest)
    throw Violation{str("restored step ", step, " although step ", *newest, " is intact")};
}

bool Promises::may_remove(std::int64_t step,
                          const Promise& promise,
                          const Rules& rules,
                          const std::set<std::int64_t>& there) const {
  if (!rules.keep_last_n || promise.is_pinned) return false;
  // Damaged ones may count, since a reader that does not read elements cannot detect all damage.
  std::int64_t num_newer = 0;
  for (const auto& [other, unused] : all_)
    if (other > step) ++num_newer;
  if (num_newer < std::max<std::int64_t>(*rules.keep_last_n, 1)) return false;
  // A remaining step replaces it: an earlier one that is close enough.
  auto is_stood_for = [&](auto&& is_near) {
    return std::ranges::any_of(there, [&](std::int64_t other) {
      const auto found = all_.find(other);
      return other < step && found != all_.end() && is_near(other, found->second);
    });
  };
  if (const auto& every = rules.keep_every_n_steps) {
    if (!is_stood_for([&](std::int64_t other, const Promise&) { return step - other < *every; }))
      return false;
  }
  if (const auto& every = rules.keep_every_seconds) {
    if (!is_stood_for([&](std::int64_t, const Promise& other) {
          return std::llabs(promise.saved_at - other.saved_at) < *every;
        }))
      return false;
  }
  return true;
}

void Promises::check_removed(const Rules& rules, const std::set<std::int64_t>& there) const {
  for (const auto& [step, promise] : all_) {
    if (!promise.is_sound() || there.contains(step)) continue;
    if (!may_remove(step, promise, rules, there))
      throw Violation{str("step ", step, " is gone, although no rule deletes it")};
  }
}

}  // namespace meshwright::machine
