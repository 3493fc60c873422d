// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/skip.h"

#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/transforms/partition.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::optim {

using graph::cast;
using graph::logical_and;
using graph::where;

namespace {

ParamSpec scalar_spec(DType dtype) {
  return {.type = {dtype, {}}};
}

std::string limit_name(const AdaptiveDrop& adaptive, double multiplier) {
  return str(multiplier, adaptive.stddev_after ? "x_stddev" : "x_mean");
}

SlotSpecs skip_slots(const Transform& inner, const SkipOptions& o, const ParamSpecs& params) {
  SlotSpecs out;
  SlotSpecs own = slot_specs(inner, params);
  if (own.num_leaves() > 0) out["inner"] = std::move(own);
  out["count"] = scalar_spec(s32);
  out["nonvalid_count"] = scalar_spec(s32);
  if (!o.adaptive) return out;
  out["grad_norm_ema"] = scalar_spec(f32);
  out["grad_norm_square_ema"] = scalar_spec(f32);
  for (double multiplier : o.adaptive->multipliers)
    out["exceeds/" + limit_name(*o.adaptive, multiplier)] = scalar_spec(s32);
  return out;
}

ValueTree skip_init(const Transform& inner,
                    const SkipOptions& o,
                    const ParamSpecs& specs,
                    const ValueTree& params) {
  ValueTree out = map(skip_slots(inner, o, specs), [](const ParamSpec& spec) {
    return graph::zeros(graph::Type(spec.type.dtype, spec.type.dims));
  });
  ValueTree own = initial_slots(inner, specs, params);
  if (own.num_leaves() > 0) out["inner"] = std::move(own);
  if (o.adaptive) {  // large enough for the first norm to pass
    out["grad_norm_ema"] = graph::constant(1.0, f32);
    out["grad_norm_square_ema"] = graph::constant(1.0, f32);
  }
  return out;
}

Value deviation(const ValueTree& state) {
  Value mean = state.at("grad_norm_ema").value();
  Value variance = state.at("grad_norm_square_ema").value() - mean * mean;
  return graph::sqrt(graph::maximum(variance, 0.0));
}

// True if the norm is below all limits. Counts the limits that it exceeds in `state`.
Value within_limits(const AdaptiveDrop& o, Value norm, ValueTree& state) {
  Value mean = state.at("grad_norm_ema").value();
  Value ok = graph::constant(1, pred);
  for (double multiplier : o.multipliers) {
    Value limit = mean * multiplier;
    if (o.stddev_after) {
      Value early = state.at("count").value() < *o.stddev_after;
      limit = where(early, 1e10, mean + multiplier * deviation(state));
    }
    Value below = norm < limit;
    Value& exceeds = state.at("exceeds/" + limit_name(o, multiplier)).value();
    exceeds = exceeds + cast(graph::logical_not(below), s32);
    ok = logical_and(ok, below);
  }
  return ok;
}

void update_norm_averages(const AdaptiveDrop& o, Value norm, Value is_valid, ValueTree& state) {
  Value seen = cast(state.at("count").value(), f32);
  Value base = graph::constant(o.decay, f32);
  Value decay = o.decay * (1.0 - graph::pow(base, seen)) / (1.0 - graph::pow(base, seen + 1.0));
  auto update = [&](const char* name, Value now) {
    Value& average = state.at(name).value();
    average = where(is_valid, decay * average + (1.0 - decay) * now, average);
  };
  update("grad_norm_ema", norm);
  update("grad_norm_square_ema", norm * norm);
}

void scale_to_max_norm(const ClipOptions& limits,
                       const UpdateContext& context,
                       Value norm,
                       PendingUpdates& updates) {
  if (!limits.max_norm) return;
  Value factor = graph::minimum(1.0, *limits.max_norm / (norm + limits.eps));
  context.summaries["gradient_scale"] = factor;
  for_each(context.specs, [&](const std::string& path, const ParamSpec&) {
    updates.add_step(path, kernels::scale_step(factor));
  });
}

// True if the update applies. Advances the averages of the adaptive limit in `state`.
Value check_gradients(const ClipOptions& limits,
                      const std::optional<AdaptiveDrop>& adaptive,
                      const ValueTree& gradients,
                      Value norm,
                      ValueTree& state) {
  Value is_valid = all_finite(gradients);
  if (limits.drop_norm) is_valid = logical_and(is_valid, norm < *limits.drop_norm);
  if (adaptive) {
    Value narrow = cast(norm, f32);
    is_valid = logical_and(is_valid, within_limits(*adaptive, narrow, state));
    update_norm_averages(*adaptive, narrow, is_valid, state);
  }
  return is_valid;
}

}  // namespace

Transform skip_and_clip(Transform inner, const ClipOptions& clip, const SkipOptions& skip) {
  auto slots = [inner, o = skip](const ParamSpecs& params) { return skip_slots(inner, o, params); };
  auto init = [inner, o = skip](const ParamSpecs& specs, const ValueTree& params) {
    return skip_init(inner, o, specs, params);
  };
  auto steps = [inner = std::move(inner), clip, o = skip](
                   const UpdateContext& context, PendingUpdates& updates, const std::string& at) {
    ValueTree own = updates.slots(at);
    Value& count = own.at("count").value();
    Value& nonvalid = own.at("nonvalid_count").value();
    ValueTree gradients = updates.materialize(context.specs);
    Value norm = global_norm(gradients);
    Value is_valid = check_gradients(clip, o.adaptive, gradients, norm, own);

    scale_to_max_norm(clip, context, norm, updates);
    UpdateContext of_inner{count, context.specs, context.params, context.summaries};
    const std::string at_inner = join_tree_path(at, "inner");
    run(inner, of_inner, updates, at_inner);
    updates.apply_only_if(is_valid, context.specs, at_inner);

    count = count + cast(is_valid, s32);
    nonvalid = nonvalid + cast(graph::logical_not(is_valid), s32);
    context.summaries["gradient_norm"] = norm;
    context.summaries["nonvalid_count"] = nonvalid;
    if (o.adaptive) {
      context.summaries["gradient_norm_ema"] = own.at("grad_norm_ema").value();
      context.summaries["gradient_norm_std_ema"] = deviation(own);
    }
    for (const auto& [name, kept] : own.children())
      if (name != "inner") updates.set_slots(join_tree_path(at, name), kept);
  };
  return {.name = "skip_and_clip", .slots = slots, .init = init, .steps = steps};
}

}  // namespace meshwright::optim
