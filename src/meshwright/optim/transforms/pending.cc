// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/pending.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/kernels/sums/square_sums.h"

namespace meshwright::optim {

using graph::where;
using kernels::UpdateStep;

PendingUpdates::PendingUpdates(const ValueTree& gradients, const ValueTree& params, ValueTree slots)
    : slots_(std::move(slots)), old_slots_(slots_) {
  for_each(gradients, [&](const std::string& path, const Value& gradient) {
    entries_[path] = {.param = params.at(path).value(), .update = gradient};
  });
}

PendingUpdates::Entry& PendingUpdates::entry(const std::string& path) {
  return entries_.at(path);
}
const PendingUpdates::Entry& PendingUpdates::entry(const std::string& path) const {
  return entries_.at(path);
}

std::vector<Value> PendingUpdates::slots_of(const Entry& entry) const {
  std::vector<Value> out;
  for (const std::string& slot : entry.slots)
    out.push_back(slots_.at(slot).value());
  return out;
}

void PendingUpdates::do_steps(Entry& entry) {
  std::vector<Value> slots = slots_of(entry);
  entry.update = kernels::stepped(entry.steps, entry.update, entry.param, slots);
  if (!entry.condition.is_null()) entry.update = where(entry.condition, entry.update, 0.0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Value& slot = slots_.at(entry.slots[i]).value();
    slot = entry.condition.is_null() ? slots[i] : where(entry.condition, slots[i], slot);
  }
  entry.steps.clear();
  entry.slots.clear();
  entry.condition = {};
}

Value PendingUpdates::materialize(const std::string& path) {
  Entry& found = entry(path);
  if (!found.slots.empty() || !found.condition.is_null()) do_steps(found);
  std::vector<Value> none;
  return kernels::stepped(found.steps, found.update, found.param, none);
}

std::vector<Value> PendingUpdates::square_sums(const std::string& path,
                                               const std::vector<Dims>& over) {
  const Entry& found = entry(path);
  const bool is_scaled_alone =
      found.condition.is_null() && std::ranges::all_of(found.steps, [](const UpdateStep& step) {
        return step.kind == UpdateStep::Kind::scale;
      });
  if (!is_scaled_alone) return kernels::square_sums(materialize(path), {}, over);
  std::vector<Value> factors;
  for (const UpdateStep& step : found.steps)
    factors.push_back(step.operands.front());
  return kernels::square_sums(found.update, factors, over);
}

ValueTree PendingUpdates::materialize(const ParamSpecs& of) {
  return map(of, [&](const std::string& path, const ParamSpec&) { return materialize(path); });
}

void PendingUpdates::set(const std::string& path, Value update) {
  Entry& found = entry(path);
  MW_CHECK(found.slots.empty() && found.condition.is_null(), "the update of '", path,
           "' was replaced while steps with slots were pending");
  found.steps.clear();
  found.update = update;
}

void PendingUpdates::add_step(const std::string& path,
                              UpdateStep step,
                              const std::vector<std::string>& slots) {
  Entry& found = entry(path);
  // Only scaling keeps an update at 0 after the condition has zeroed it.
  if (!found.condition.is_null() && step.kind != UpdateStep::Kind::scale) do_steps(found);
  found.steps.push_back(std::move(step));
  found.slots.insert(found.slots.end(), slots.begin(), slots.end());
}

void PendingUpdates::apply_only_if(Value condition, const ParamSpecs& of, const std::string& at) {
  for_each(of, [&](const std::string& path, const ParamSpec&) {
    Entry& found = entry(path);
    found.condition =
        found.condition.is_null() ? condition : graph::logical_and(found.condition, condition);
  });
  keep_slots_unless(condition, at);
}

void PendingUpdates::keep_slots_unless(Value condition, const std::string& at) {
  set_slots(at, map(slots(at), [&](const std::string& path, const Value& now) {
              const Value& old = old_slots_.at(join_tree_path(at, path)).value();
              return now == old ? old : where(condition, now, old);
            }));
}

ValueTree PendingUpdates::slots(const std::string& at) const {
  if (at.empty()) return slots_;
  const ValueTree* found = slots_.find(at);
  return found == nullptr ? ValueTree() : *found;
}

void PendingUpdates::set_slots(const std::string& at, const ValueTree& slots) {
  for_each(slots, [&](const std::string& path, const Value& slot) {
    this->slot(path.empty() ? at : join_tree_path(at, path)) = slot;
  });
}

kernels::ArrayUpdate PendingUpdates::remaining(const std::string& path) const {
  const Entry& found = entry(path);
  return {.param = found.param,
          .gradient = found.update,
          .steps = found.steps,
          .slots = slots_of(found),
          .condition = found.condition};
}

void PendingUpdates::finish(const std::string& path, const kernels::UpdatedArray& updated) {
  const Entry& found = entry(path);
  for (std::size_t i = 0; i < found.slots.size(); ++i)
    slots_.at(found.slots[i]).value() = updated.slots[i];
}

}  // namespace meshwright::optim
