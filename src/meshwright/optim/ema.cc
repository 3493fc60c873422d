// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/ema.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/per_param.h"

namespace meshwright::optim {

using graph::cast;

namespace {

DType slot_dtype(const UpdateEmaOptions& o, const ParamSpec& spec) {
  bool is_scalar = spec.type.rank() == 0;
  return is_scalar || !o.dtype ? update_dtype(spec.type.dtype) : *o.dtype;
}

SlotSpecs ema_slots(const UpdateEmaOptions& o, const ParamSpecs& params) {
  SlotSpecs out;
  for_each(params, [&](const std::string& path, const ParamSpec& spec) {
    ParamSpec average = spec;
    average.type.dtype = slot_dtype(o, spec);
    average.factorization.clear();
    out[join_tree_path("ema", path)] = average;
    if (is_float(average.type.dtype)) return;
    ParamSpec step = without_dims(spec, {0});
    step.type.dtype = f32;
    out[join_tree_path("scale", path)] = step;
  });
  return out;
}

// An average as it is stored: steps of equal size on both sides of zero.
struct Quantised {
  Value steps, size;
};

Quantised quantised(Value x, DType dtype) {
  double most = dtype == DType::s8 ? 127 : 32767;
  Value size = graph::reduce_max(graph::abs(x), {0}, {.keep_dims = true}) / most;
  Value divisor = graph::where(size > 0.0, size, 1.0);
  return {cast(graph::round_even(x / divisor), dtype), graph::squeeze(size, {0})};
}

Value restored(Value steps, Value size, DType dtype) {
  return cast(steps, dtype) * cast(graph::expand_dims(size, {0}), dtype);
}

}  // namespace

Transform ema(const UpdateEmaOptions& options) {
  if (options.dtype) {
    DType dtype = *options.dtype;
    MW_CHECK(is_float(dtype) || dtype == DType::s8 || dtype == DType::s16,
             "ema: averages cannot be kept in ", dtype, "; use a float dtype, s8 or s16");
  }
  auto slots = [o = options](const ParamSpecs& params) { return ema_slots(o, params); };
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates,
                              ValueTree& state) {
    Value number = context.number();
    Value decay = o.decay(number);
    ValueTree new_state;
    ValueTree out = map_updates(context, updates, [&](const Item& item) {
      std::string at = join_tree_path("ema", item.path);
      std::string at_size = join_tree_path("scale", item.path);
      Value slot = state.at(at).value();
      DType dtype = item.update.dtype();
      Value old = is_float(slot.dtype()) ? cast(slot, dtype)
                                         : restored(slot, state.at(at_size).value(), dtype);
      Value d = scalar_like(decay, item.update);
      Value average = (1.0 - d) * item.update + d * old;
      if (is_float(slot.dtype())) {
        new_state[at] = cast(average, slot.dtype());
      } else {
        auto [steps, size] = quantised(average, slot.dtype());
        new_state[at] = steps;
        new_state[at_size] = cast(size, f32);
      }
      return o.debias ? average / (1.0 - graph::pow(d, scalar_like(number, d))) : average;
    });
    state = std::move(new_state);
    return out;
  };
  return {.name = "ema", .slots = slots, .update = update};
}

}  // namespace meshwright::optim
