// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/adastar.h"

#include <utility>
#include <vector>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/moment.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

// The average one update further, which becomes the slot.
ValueTree averaged(const ValueTree& values,
                   const CorrectedAverage& how,
                   Value number,
                   ValueTree& slot) {
  ValueTree average = moving_average(values, slot, how.decay);
  slot = stored_as(average, slot);
  return how.debias ? bias_corrected(average, how.decay, number) : average;
}

}  // namespace

Transform scale_by_adastar(const AdaStarMoments& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    if (o.gradient) out["mu"] = like(params);
    out["nu"] = like(params);
    return out;
  };
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates,
                              ValueTree& state) {
    const Value number = context.number();
    const ValueTree squares = map(updates, [&](Value g) {
      return o.eps_square == 0 ? graph::square(g) : graph::square(g) + o.eps_square;
    });
    const ValueTree first =
        o.gradient ? averaged(updates, *o.gradient, number, state["mu"]) : updates;
    return map(first, averaged(squares, o.square, number, state["nu"]),
               [&](Value m, Value n) { return m / (graph::sqrt(n) + o.eps); });
  };
  return {.name = "adastar", .slots = slots, .update = update};
}

Transform adastar(const AdaStarOptions& o) {
  std::vector<Transform> parts = {scale_by_adastar(o.moments)};
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold));
  if (o.update) {
    parts.push_back(ema({.decay = o.update->decay, .debias = o.update->debias, .dtype = {}}));
  }
  parts.push_back(
      scale_by_learning_rate(o.learning_rate, {.first_step = o.first_step, .negate = false}));
  parts.push_back(add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}));
  parts.push_back(scale_by_schedule(o.update_schedule, o.first_step, "update"));
  parts.push_back(scale(-1));
  return chain(std::move(parts), "adastar");
}

}  // namespace meshwright::optim
