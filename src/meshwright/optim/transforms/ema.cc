// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/ema.h"

#include <map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

using graph::cast;

namespace {

DType slot_dtype(const UpdateEmaOptions& o, const ParamSpec& spec) {
  const bool is_kept = o.keeps_scalars && spec.type.rank() == 0;
  return is_kept || !o.dtype ? update_dtype(spec.type.dtype) : *o.dtype;
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

// A quantised average, whose value is steps * size.
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

struct Decay {
  Value decay, correction;     // correction: null if there is none
  std::optional<double> same;  // set if all updates have the same decay
};

Decay decay_in(DType dtype, Value decay, Value number, bool is_corrected) {
  Decay out{.decay = cast(decay, dtype), .correction = {}, .same = {}};
  if (is_corrected) out.correction = 1.0 - graph::pow(out.decay, cast(number, dtype));
  return out;
}

kernels::UpdateStep average_step(const Decay& decay) {
  return decay.same ? kernels::average_step(*decay.same, decay.correction)
                    : kernels::average_step(decay.decay, decay.correction);
}

// Quantised averages cannot be pending steps, since a step size depends on many elements.
void step_quantised(const std::string& path,
                    const std::string& at,
                    const Decay& decay,
                    PendingUpdates& updates) {
  Value& steps = updates.slot(join_tree_path(at, join_tree_path("ema", path)));
  Value& size = updates.slot(join_tree_path(at, join_tree_path("scale", path)));
  Value update = updates.materialize(path);
  Value average =
      (1.0 - decay.decay) * update + decay.decay * restored(steps, size, update.dtype());
  Quantised now = quantised(average, steps.dtype());
  steps = now.steps;
  size = cast(now.size, f32);
  updates.set(path, decay.correction.is_null() ? average : average / decay.correction);
}

}  // namespace

Transform ema(const UpdateEmaOptions& options) {
  if (options.dtype) {
    DType dtype = *options.dtype;
    MW_CHECK(is_float(dtype) || dtype == DType::s8 || dtype == DType::s16,
             "ema: averages cannot be kept in ", dtype, "; use a float dtype, s8 or s16");
    MW_CHECK(is_float(dtype) || options.keeps_scalars, "ema: scalars cannot be kept in ", dtype);
  }
  auto slots = [o = options](const ParamSpecs& params) { return ema_slots(o, params); };
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string& at) {
    const Value number = context.update_number();
    const double* same = std::get_if<double>(&o.decay);
    const Value decay =
        same != nullptr ? graph::constant(*same, f32) : std::get<Schedule>(o.decay)(number);
    std::map<DType, Decay> decays;
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      auto [found, is_new] = decays.try_emplace(update_dtype(spec.type.dtype));
      if (is_new) found->second = decay_in(found->first, decay, number, o.debias);
      if (same != nullptr) found->second.same = *same;
      const Decay& own = found->second;
      const std::string at_average = join_tree_path(at, join_tree_path("ema", path));
      if (is_float(slot_dtype(o, spec)))
        return updates.add_step(path, average_step(own), {at_average});
      step_quantised(path, at, own, updates);
    });
  };
  return {.name = "ema", .slots = slots, .steps = steps};
}

Transform optax_ema(double decay, std::optional<DType> dtype) {
  return ema({.decay = decay, .debias = false, .dtype = dtype, .keeps_scalars = false});
}

}  // namespace meshwright::optim
