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

// Advances the average in `slot` by one update and returns it, bias-corrected if `debias`.
ValueTree averaged(
    const ValueTree& values, double decay, bool debias, Value number, ValueTree& slot) {
  ValueTree average = moving_average(values, slot, decay);
  slot = stored_as(average, slot);
  return debias ? bias_corrected(average, decay, number) : average;
}

// Divides the average gradient by the square root of the average squared gradient.
Transform scale_by_adastar(const AdaStarOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    if (o.gradient_decay) out["mu"] = slots_like(params);
    out["nu"] = slots_like(params);
    return out;
  };
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates,
                              ValueTree& state) {
    const Value number = context.update_number();
    const ValueTree squares = map(updates, [&](Value g) {
      return o.eps_square == 0 ? graph::square(g) : graph::square(g) + o.eps_square;
    });
    const ValueTree first = o.gradient_decay ? averaged(updates, *o.gradient_decay,
                                                        o.gradient_debias, number, state["mu"])
                                             : updates;
    return map(first, averaged(squares, o.square_decay, o.square_debias, number, state["nu"]),
               [&](Value m, Value n) { return m / (graph::sqrt(n) + o.eps); });
  };
  return {.name = "adastar", .slots = slots, .update = update};
}

}  // namespace

Transform adastar(const AdaStarOptions& o, const RunLength& run) {
  std::vector<Transform> parts = {scale_by_adastar(o)};
  if (o.clipping_threshold) parts.push_back(clip_by_block_rms(*o.clipping_threshold));
  if (o.update_decay) {
    parts.push_back(ema({.decay = *o.update_decay, .debias = o.update_debias, .dtype = {}}));
  }
  parts.push_back(scale_by_learning_rate(make_schedule(o.learning_rate, run),
                                         {.first_step = o.first_step, .negate = false}));
  parts.push_back(add_decayed_weights(o.weight_decay));
  parts.push_back(scale_by_schedule(make_schedule(o.update_schedule, run), o.first_step, "update"));
  parts.push_back(scale(-1));
  return chain(std::move(parts), "adastar");
}

}  // namespace meshwright::optim
