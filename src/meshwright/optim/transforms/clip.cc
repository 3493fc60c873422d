// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/clip.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::maximum;
using graph::minimum;
using graph::sqrt;
using graph::where;

namespace {

Value clip_factor(const ClipOptions& o, Value norm) {
  Value factor = graph::constant(1.0, norm.dtype());
  if (o.max_norm) {
    factor = minimum(1.0, *o.max_norm / (o.eps == 0 ? norm : norm + o.eps));
  }
  if (o.drop_norm) factor = where(norm < *o.drop_norm, factor, 0.0);
  return factor;
}

// Multiplies each update by factor(updates, path, dimensions of one array).
template <typename F>
Transform scale_each(const char* name, Block block, F factor) {
  auto steps = [=](const UpdateContext& context, PendingUpdates& updates, const std::string&) {
    for_each(context.specs, [&](const std::string& path, const ParamSpec& spec) {
      Value own = factor(updates, path, block_dims(spec, block));
      updates.add_step(path, kernels::scale_step(as_factor(own)));
    });
  };
  return {.name = name, .steps = steps};
}

}  // namespace

Transform clip_by_global_norm(const ClipOptions& options) {
  auto steps = [o = options](const UpdateContext& context, PendingUpdates& updates,
                             const std::string&) {
    Value norm = global_norm(updates.materialize(context.specs));
    context.summaries["gradient_norm"] = norm;
    if (!o.max_norm && !o.drop_norm) return;
    Value factor = clip_factor(o, norm);
    context.summaries["gradient_scale"] = factor;
    for_each(context.specs, [&](const std::string& path, const ParamSpec&) {
      updates.add_step(
          path, o.drop_norm ? kernels::scale_or_drop_step(factor) : kernels::scale_step(factor));
    });
  };
  return {.name = "clip", .steps = steps};
}

Transform clip_by_param_norm(double max_norm, Block block) {
  return scale_each("clip_by_param_norm", block,
                    [=](auto& updates, const auto& path, const Dims& dims) {
                      return minimum(1.0, max_norm / sqrt(sum_square(updates, path, dims)));
                    });
}

Transform clip_by_block_rms(double threshold, Block block) {
  return scale_each("clip_by_block_rms", block,
                    [=](auto& updates, const auto& path, const Dims& dims) {
                      return 1.0 / maximum(1.0, sqrt(mean_square(updates, path, dims)) / threshold);
                    });
}

Transform clip_by_value(double limit) {
  auto update = [limit](const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    return map_updates(context, updates, [limit](const ParamUpdate& item) {
      return graph::clamp(-limit, item.update, limit);
    });
  };
  return {.name = "clip_by_value", .update = update};
}

}  // namespace meshwright::optim
