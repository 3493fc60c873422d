// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/axlearn/axlearn.h"

#include "meshwright/models/decoder_lm.h"
#include "meshwright/systems/axlearn/axlearn_params.h"
#include "meshwright/train/foreign/state_folders.h"

namespace meshwright::systems {
namespace {

using train::Preset;
using train::PresetIntervals;

const models::DecoderLmConfig* find_decoder(const nn::Module& model) {
  const auto* decoder = dynamic_cast<const models::DecoderLm*>(&model);
  return decoder == nullptr ? nullptr : &decoder->config();
}

// AXLearn's key holds the native key twice.
ForeignArray key_array() {
  auto half = [](std::int64_t start) {
    return ForeignArray{.path = "prng_key", .span = {{.start = start, .size = 2, .count = 4}}};
  };
  ForeignArray out = half(0);
  out.copies = {half(2)};
  return out;
}

// The optimizer is a chain of clip_by_global_norm and adamw_decoupled_optimizer. Three parts of the
// latter count updates.
ForeignArray count_array() {
  return {
      .path = "learner/optimizer/1/0/count",
      .copies = {{.path = "learner/optimizer/1/1/count"}, {.path = "learner/optimizer/1/3/count"}}};
}

class Axlearn : public train::ForeignSystem {
 public:
  std::string_view name() const override { return "axlearn"; }

  // Evaluators and checkpoints follow their policies after each step, and at step 0 of a fresh run.
  // Traces of the next step are handled before it.
  Preset preset(const PresetIntervals& intervals) const override {
    using enum train::Action;
    Preset out;
    out.loop.order.boundary = {{log, eval, save, stop, stop_trace, start_trace}};
    out.loop.log = train::When{train::EveryN{.n = intervals.log}, train::FirstSteps{.count = 5}};
    out.loop.summaries = train::When{train::EveryN{.n = 1}};
    out.save = train::every(intervals.save, {});
    out.eval = train::every(intervals.eval, {});
    return out;
  }

  ForeignArrays params(const nn::Module& model) const override {
    const models::DecoderLmConfig* decoder = find_decoder(model);
    return decoder == nullptr ? ForeignArrays() : axlearn_params(*decoder);
  }

  ForeignArrays state(const train::StateToName& state) const override {
    const train::StateFolders folders{
        .params = "model",
        .slots = {{"mu", "learner/optimizer/1/0/mu"}, {"nu", "learner/optimizer/1/0/nu"}}};
    ForeignArrays out = train::arrays_in(folders, state.params, state.paths);
    for (const std::string& path : state.paths) {
      if (path == "prng_key") out.emplace(path, key_array());
      if (path == "learner/count") out.emplace(path, count_array());
    }
    return out;
  }

  // The default of AXLearn's decoders.
  train::SystemDefaults defaults(const nn::Module& model) const override {
    const models::DecoderLmConfig* decoder = find_decoder(model);
    if (decoder == nullptr || decoder->init != models::InitStyle::fuji) return {};
    return {.padding_id = 0};
  }
};

}  // namespace

const train::ForeignSystem& axlearn() {
  static const Axlearn system;
  return system;
}

}  // namespace meshwright::systems
