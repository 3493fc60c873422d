// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/seqax/seqax.h"

#include "meshwright/models/decoder_lm.h"
#include "meshwright/systems/seqax/seqax_params.h"
#include "meshwright/train/foreign/state_folders.h"

namespace meshwright::systems {
namespace {

using train::Preset;
using train::PresetIntervals;

class Seqax : public train::ForeignSystem {
 public:
  std::string_view name() const override { return "seqax"; }

  // Saves at the top of the loop, so never at the step it starts with nor at the last one. Traces
  // the two steps after the first.
  Preset preset(const PresetIntervals& intervals) const override {
    using enum train::Action;
    Preset out;
    out.loop.order.boundary = {{stop_trace, log, stop, save, start_trace}};
    out.loop.log = train::When{train::EveryN{.n = 1}};
    out.save = train::every(intervals.save, {.except_last = true});
    out.loop.trace = {.start_steps = {1}, .num_steps = 2, .from_start = true};
    return out;
  }

  ForeignArrays params(const nn::Module& model) const override {
    const auto* decoder = dynamic_cast<const models::DecoderLm*>(&model);
    return decoder == nullptr ? ForeignArrays() : seqax_params(decoder->config());
  }

  ForeignArrays state(const train::StateToName& state) const override {
    const train::StateFolders folders{.params = "weights",
                                      .slots = {{"mu", "adam_mu"}, {"nu", "adam_nu"}}};
    return train::arrays_in(folders, state.params, state.paths);
  }
};

}  // namespace

const train::ForeignSystem& seqax() {
  static const Seqax system;
  return system;
}

}  // namespace meshwright::systems
