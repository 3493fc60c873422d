// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/clip.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::equal;
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

// What is dropped may hold infinities and NaN, which no factor makes zero.
Value clipped(const ClipOptions& o, Value gradient, Value factor) {
  Value smaller = gradient * scalar_like(factor, gradient);
  return o.drop_norm ? where(equal(factor, 0.0), 0.0, smaller) : smaller;
}

template <typename F>
Transform each(const char* name, F f) {
  auto update = [f](const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    return map_updates(context, updates, f);
  };
  return {.name = name, .update = update};
}

}  // namespace

Transform clip_by_global_norm(const ClipOptions& options) {
  auto update = [o = options](const UpdateContext& context, const ValueTree& updates, ValueTree&) {
    Value norm = global_norm(updates);
    context.summaries["gradient_norm"] = norm;
    if (!o.max_norm && !o.drop_norm) return updates;
    Value factor = clip_factor(o, norm);
    context.summaries["gradient_scale"] = factor;
    return map(updates, [&](Value g) { return clipped(o, g, factor); });
  };
  return {.name = "clip", .update = update};
}

Transform clip_by_param_norm(double max_norm, Block block) {
  return each("clip_by_param_norm", [=](const Item& item) {
    Value norm = sqrt(sum_square(item.update, block_dims(item.spec, block)));
    return item.update * minimum(1.0, max_norm / norm);
  });
}

Transform clip_by_block_rms(double threshold, Block block) {
  return each("clip_by_block_rms", [=](const Item& item) {
    Value rms = sqrt(mean_square(item.update, block_dims(item.spec, block)));
    return item.update / maximum(1.0, rms / threshold);
  });
}

Transform clip_by_value(double limit) {
  return each("clip_by_value",
              [limit](const Item& item) { return graph::clamp(-limit, item.update, limit); });
}

}  // namespace meshwright::optim
