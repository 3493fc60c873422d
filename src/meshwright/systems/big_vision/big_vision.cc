// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/big_vision/big_vision.h"

#include <optional>

namespace meshwright::systems {
namespace {

train::When its_time(std::optional<std::int64_t> n, train::ItsTime policy) {
  if (!n) return {};
  policy.n = *n;
  return {train::PolicyConfig(policy)};
}

class BigVision : public train::ForeignSystem {
 public:
  std::string_view name() const override { return "big_vision"; }

  // Runs all evaluators before the first step, and in a run that had reached its last step.
  train::Preset preset(const train::PresetIntervals& intervals) const override {
    using enum train::Action;
    train::Preset out;
    out.loop.order.boundary = {{stop_trace, start_trace, log, save, eval, stop}};
    out.loop.log = train::When{train::ItsTime{.n = intervals.log},
                               train::FirstSteps{.count = 2, .from_start = true}};
    out.save = its_time(intervals.save, {});
    if (intervals.keep) out.save.emplace_back(train::ItsTime{.n = *intervals.keep, .first = false});
    out.eval = its_time(intervals.eval, {.first = false});
    out.eval.emplace_back(train::AtStart{.fresh = true, .finished = true});
    return out;
  }
};

}  // namespace

const train::ForeignSystem& big_vision() {
  static const BigVision system;
  return system;
}

}  // namespace meshwright::systems
