// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/t5x/t5x.h"

#include "meshwright/models/encoder_decoder.h"
#include "meshwright/systems/t5x/t5x_params.h"

namespace meshwright::systems {
namespace {

class T5x : public train::ForeignSystem {
 public:
  std::string_view name() const override { return "t5x"; }

  // Counts steps from where the run began, and the last step is always due. Saves before the
  // evaluations, which may take a long time; before training, evaluates first and then saves.
  train::Preset preset(const train::PresetIntervals& intervals) const override {
    using enum train::Action;
    train::Preset out;
    out.loop.order.boundary = {{stop_trace, log, save, eval, stop, start_trace}};
    out.loop.order.start = {{eval, save, stop, start_trace}};
    out.loop.log =
        train::When{train::EveryN{.n = intervals.log, .from_start = true, .and_last = true}};
    out.save = train::every(intervals.save, {.from_start = true, .and_last = true});
    if (intervals.save) out.save.emplace_back(train::AtStart{.fresh = true});
    out.eval = train::every(intervals.eval, {.from_start = true, .and_last = true});
    return out;
  }

  ForeignArrays params(const nn::Module& model) const override {
    const auto* t5 = dynamic_cast<const models::EncoderDecoder*>(&model);
    return t5 == nullptr ? ForeignArrays() : t5x_params(t5->config());
  }

  ForeignArrays state(const train::StateToName& state) const override {
    const auto& model = dynamic_cast<const models::EncoderDecoder&>(state.model);
    return t5x_state(model.config(), state.params, state.paths);
  }
};

}  // namespace

const train::ForeignSystem& t5x() {
  static const T5x system;
  return system;
}

}  // namespace meshwright::systems
