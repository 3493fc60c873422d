// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/big_vision/big_vision.h"

#include <optional>

#include "meshwright/models/vit.h"
#include "meshwright/systems/big_vision/big_vision_params.h"
#include "meshwright/systems/big_vision/big_vision_state.h"

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

  ForeignArrays params(const nn::Module& model) const override {
    const auto* vit = dynamic_cast<const models::Vit*>(&model);
    return vit == nullptr ? ForeignArrays() : big_vision_params(vit->config());
  }

  ForeignArrays state(const train::StateToName& state) const override {
    const auto& vit = dynamic_cast<const models::Vit&>(state.model);
    return big_vision_state(vit.config(), state);
  }

  // Its clocks, which nothing else in a checkpoint tells.
  Tree<HostTensor> more_arrays(const train::StateToName& /*state*/) const override {
    Tree<HostTensor> out;
    out["chrono/accum_examples_seen"] = HostTensor::scalar(std::int32_t{0});
    for (const char* clock : {"program", "pause", "train"})
      out[str("chrono/accum_", clock, "_time")] = HostTensor::scalar(0.0F);
    return out;
  }
};

}  // namespace

const train::ForeignSystem& big_vision() {
  static const BigVision system;
  return system;
}

}  // namespace meshwright::systems
