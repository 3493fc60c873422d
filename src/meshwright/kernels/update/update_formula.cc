// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/update/update_formula.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

using graph::cast;
using graph::Value;
using graph::where;
using Kind = UpdateStep::Kind;

namespace {

DType computed_in(DType dtype) {
  return dtype == f64 ? f64 : f32;
}

Value averaged(Value now, Value old, double decay) {
  return (1 - decay) * now + decay_of_slot(decay, old.dtype()) * cast(old, now.dtype());
}

Value adam(const UpdateStep& step, Value u, Value correction[3], Value& mu_slot, Value& nu_slot) {
  Value mu = averaged(u, mu_slot, step.b1);
  Value nu = averaged(graph::square(u), nu_slot, step.b2);
  mu_slot = cast(mu, mu_slot.dtype());
  nu_slot = cast(nu, nu_slot.dtype());
  Value first =
      step.nesterov ? averaged(u / correction[0], mu / correction[1], step.b1) : mu / correction[0];
  Value second = nu / correction[2];
  return first / (graph::sqrt(step.eps_root == 0 ? second : second + step.eps_root) + step.eps);
}

Value lion(const UpdateStep& step, Value u, Value& slot) {
  Value seen = averaged(u, slot, step.b1);
  slot = cast(averaged(u, slot, step.b2), slot.dtype());
  return graph::sign(seen);
}

Value momentum(const UpdateStep& step, Value u, Value& slot) {
  Value sum = u + decay_of_slot(step.b1, slot.dtype()) * cast(slot, u.dtype());
  slot = cast(sum, slot.dtype());
  return step.nesterov ? u + step.b1 * sum : sum;
}

// Uses the step's b1 if `decay` is null.
Value average(const UpdateStep& step, Value u, Value decay, Value correction, Value& slot) {
  Value average = decay.is_null() ? averaged(u, slot, step.b1)
                                  : (1.0 - decay) * u + decay * cast(slot, u.dtype());
  slot = cast(average, slot.dtype());
  return correction.is_null() ? average : average / correction;
}

// Returns u after one step, and updates `slots`, the slots of that step.
Value after(const UpdateStep& step, Value u, Value param, Value* slots) {
  Value operands[3];
  for (std::size_t i = 0; i < step.operands.size(); ++i)
    if (!step.operands[i].is_null()) operands[i] = cast(step.operands[i], u.dtype());
  switch (step.kind) {
    case Kind::scale:
      return u * operands[0];
    // Dropped updates may contain infinities and NaN, which multiplying by 0 would not clear.
    case Kind::scale_or_drop:
      return where(graph::equal(operands[0], 0.0), 0.0, u * operands[0]);
    case Kind::add_param:
      return u + operands[0] * cast(param, u.dtype());
    case Kind::adam:
      return adam(step, u, operands, slots[0], slots[1]);
    case Kind::lion:
      return lion(step, u, slots[0]);
    case Kind::momentum:
      return momentum(step, u, slots[0]);
    case Kind::average:
      return average(step, u, operands[0], operands[1], slots[0]);
  }
  fail(ErrorCode::internal, "update: unknown step");
}

}  // namespace

UpdateStep scale_step(Value factor) {
  return {.kind = Kind::scale, .operands = {factor}};
}

UpdateStep scale_or_drop_step(Value factor) {
  return {.kind = Kind::scale_or_drop, .operands = {factor}};
}

UpdateStep add_param_step(Value factor) {
  return {.kind = Kind::add_param, .operands = {factor}};
}

UpdateStep adam_step(const AdamNumbers& o) {
  return {.kind = Kind::adam,
          .operands = {o.correction, o.next_correction, o.square_correction},
          .b1 = o.b1,
          .b2 = o.b2,
          .eps = o.eps,
          .eps_root = o.eps_root,
          .nesterov = o.nesterov};
}

UpdateStep lion_step(double b1, double b2) {
  return {.kind = Kind::lion, .b1 = b1, .b2 = b2};
}

UpdateStep momentum_step(double decay, bool nesterov) {
  return {.kind = Kind::momentum, .b1 = decay, .nesterov = nesterov};
}

UpdateStep average_step(Value decay, Value correction) {
  return {.kind = Kind::average, .operands = {decay, correction}};
}

UpdateStep average_step(double decay, Value correction) {
  return {.kind = Kind::average, .operands = {Value(), correction}, .b1 = decay};
}

double decay_of_slot(double decay, DType slot) {
  if (slot != DType::bf16) return decay;
  const double rounded = static_cast<float>(BFloat16(decay));
  return rounded < 1 ? rounded : decay;
}

int num_slots(Kind kind) {
  switch (kind) {
    case Kind::scale:
    case Kind::scale_or_drop:
    case Kind::add_param:
      return 0;
    case Kind::lion:
    case Kind::momentum:
    case Kind::average:
      return 1;
    case Kind::adam:
      return 2;
  }
  fail(ErrorCode::internal, "update: unknown step");
}

Value stepped(const std::vector<UpdateStep>& steps,
              Value gradient,
              Value param,
              std::vector<Value>& slots) {
  Value u = cast(gradient, computed_in(gradient.dtype()));
  std::size_t next = 0;
  for (const UpdateStep& step : steps) {
    u = after(step, u, param, slots.data() + next);
    next += static_cast<std::size_t>(num_slots(step.kind));
  }
  return u;
}

Value moved_average(Value average, Value param, Value decay) {
  Value x = cast(param, computed_in(param.dtype()));
  Value d = cast(decay, x.dtype());
  return cast((1.0 - d) * x + d * cast(average, x.dtype()), average.dtype());
}

UpdatedArray updated_by_formula(const ArrayUpdate& array) {
  UpdatedArray out{.param = {}, .slots = array.slots, .average = {}};
  Value u = stepped(array.steps, array.gradient, array.param, out.slots);
  out.param = cast(cast(array.param, u.dtype()) + u, array.param.dtype());
  if (!array.average.is_null())
    out.average = moved_average(array.average, out.param, array.average_decay);
  if (array.condition.is_null()) return out;
  auto keep = [&](Value& now, Value before) { now = where(array.condition, now, before); };
  keep(out.param, array.param);
  for (std::size_t i = 0; i < out.slots.size(); ++i)
    keep(out.slots[i], array.slots[i]);
  if (!array.average.is_null()) keep(out.average, array.average);
  return out;
}

}  // namespace meshwright::kernels
