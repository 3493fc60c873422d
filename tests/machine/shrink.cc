// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <utility>

namespace meshwright::machine {
namespace {

using Fails = std::function<bool(const Sequence&)>;

/// Applies the change if the sequence still fails with it.
template <typename Change>
bool try_change(Sequence& sequence, const Fails& fails, const Change& change) {
  Sequence changed = sequence;
  change(changed);
  if (to_text(changed) == to_text(sequence) || !fails(changed)) return false;
  sequence = std::move(changed);
  return true;
}

bool leave_out(Sequence& sequence, const Fails& fails) {
  bool has_changed = false;
  for (std::size_t size = sequence.operations.size(); size > 0; size /= 2) {
    for (std::size_t at = 0; at + size <= sequence.operations.size();) {
      const bool is_out = try_change(sequence, fails, [&](Sequence& s) {
        const auto first = s.operations.begin() + static_cast<std::ptrdiff_t>(at);
        s.operations.erase(first, first + static_cast<std::ptrdiff_t>(size));
      });
      has_changed |= is_out;
      if (!is_out) at += 1;
    }
  }
  return has_changed;
}

bool make_small(Sequence& sequence, const Fails& fails) {
  bool has_changed = false;
  for (std::int64_t Sequence::*rule :
       {&Sequence::keep_last_n, &Sequence::keep_every_n_steps, &Sequence::keep_every_seconds})
    has_changed |= try_change(sequence, fails, [&](Sequence& s) { s.*rule = 0; });
  for (std::size_t at = 0; at < sequence.operations.size(); ++at) {
    for (std::uint32_t Operation::*number : {&Operation::a, &Operation::b}) {
      auto set = [&](std::uint32_t to) {
        return try_change(sequence, fails, [&](Sequence& s) { s.operations[at].*number = to; });
      };
      if (set(0)) {
        has_changed = true;
        continue;
      }
      while (set(sequence.operations[at].*number / 2))
        has_changed = true;
    }
  }
  return has_changed;
}

}  // namespace

Sequence shrunk(Sequence failing, const Fails& fails) {
  for (int round = 0; round < 5; ++round) {
    const bool has_changed = leave_out(failing, fails);
    if (!make_small(failing, fails) && !has_changed) break;
  }
  return failing;
}

}  // namespace meshwright::machine
