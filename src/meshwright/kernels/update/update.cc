// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/update/update.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/rows/broadcast_rows.h"
#include "meshwright/kernels/update/update_formula.h"
#include "meshwright/kernels/update/update_handlers.h"
#include "meshwright/kernels/update/update_op.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::OutputAlias;
using graph::Type;
using graph::Value;
using Kind = UpdateStep::Kind;

namespace {

bool is_float_of_kernels(Value x) {
  return x.dtype() == f32 || x.dtype() == bf16;
}

bool is_scalar(Value x) {
  return x.type().rank() == 0;
}

// Only factors of the gradient itself, before any other step, may be arrays.
bool operands_fit(const UpdateStep& step, bool is_gradient_alone, int rank) {
  const bool may_be_array = is_gradient_alone && step.kind == Kind::scale;
  return std::ranges::all_of(step.operands, [&](const Value& x) {
    if (x.is_null()) return true;
    return x.dtype() == f32 && (is_scalar(x) || (may_be_array && x.type().rank() == rank));
  });
}

bool steps_fit(const ArrayUpdate& array) {
  const int rank = array.param.type().rank();
  std::ptrdiff_t num_arrays = 0;
  bool is_gradient_alone = true;
  for (const UpdateStep& step : array.steps) {
    if (!operands_fit(step, is_gradient_alone, rank)) return false;
    if (step.kind == Kind::scale_or_drop && !is_gradient_alone) return false;
    if (step.kind == Kind::scale) num_arrays += is_scalar(step.operands.front()) ? 0 : 1;
    if (step.kind != Kind::scale && step.kind != Kind::scale_or_drop) is_gradient_alone = false;
  }
  return num_arrays == 0 || (num_arrays <= kMostBroadcast && rank <= kMostBroadcastDims);
}

std::string obstacle_of_array(const ArrayUpdate& array) {
  const auto num_with_slots = std::ranges::count_if(
      array.steps, [](const UpdateStep& step) { return num_slots(step.kind) > 0; });
  std::vector<Value> arrays = array.slots;
  arrays.insert(arrays.end(), {array.param, array.gradient});
  if (!array.average.is_null()) arrays.push_back(array.average);
  for (const Value& x : arrays) {
    if (!is_float_of_kernels(x)) return str("dtype ", x.dtype());
    if (x.dims() != array.param.dims()) return "a slot or gradient has a different shape";
  }
  if (num_elements(array.param.dims()) == 0) return "no elements";
  if (num_with_slots > 1) return "several steps have slots";
  if (!steps_fit(array)) return "the operands of a step";
  const bool has_other_decay = !array.average.is_null() && array.average_decay.dtype() != f32;
  return has_other_decay ? "the decay of the average is not f32" : "";
}

void check_slots(const ArrayUpdate& array) {
  int num_needed = 0;
  for (const UpdateStep& step : array.steps)
    num_needed += num_slots(step.kind);
  MW_CHECK(std::ssize(array.slots) == num_needed, "update: the steps need ", num_needed,
           " slots, got ", array.slots.size());
}

class Operands {
 public:
  /// Returns the position of the operand, or -1 if null.
  int add(Value x) {
    if (x.is_null()) return -1;
    values_.push_back(x);
    return static_cast<int>(values_.size()) - 1;
  }
  /// Like add(), but adds a scalar that several arrays share only once.
  int add_shared(Value x) {
    if (x.is_null() || !is_scalar(x)) return add(x);
    const auto [found, is_new] = shared_.try_emplace(x, static_cast<int>(values_.size()));
    return is_new ? add(x) : found->second;
  }
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<Value> values_;
  std::unordered_map<Value, int, graph::ValueHash> shared_;
};

// Only arguments are updated in place. XLA may merge other equal values, such as slots of zeros,
// into one buffer, which two results cannot both reuse.
bool are_arguments_of_program(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [](const Value& x) {
    return x.is_null() ||
           (x.node()->op == &graph::kArgument && x.node()->region->parent == nullptr);
  });
}

ArrayOfCall of_call(const ArrayUpdate& array, Operands& operands) {
  ArrayOfCall out;
  out.is_in_place = are_arguments_of_program({array.param, array.average}) &&
                    are_arguments_of_program(array.slots);
  out.param = operands.add(array.param);
  out.gradient = operands.add(array.gradient);
  out.condition = operands.add_shared(array.condition);
  out.average = operands.add(array.average);
  out.average_decay = operands.add_shared(array.average_decay);
  for (const Value& slot : array.slots)
    out.slots.push_back(operands.add(slot));
  for (const UpdateStep& step : array.steps) {
    UpdateStep numbers = step;
    numbers.operands.clear();
    std::vector<int> positions;
    for (const Value& operand : step.operands)
      positions.push_back(operands.add_shared(operand));
    out.steps.push_back({std::move(numbers), std::move(positions)});
  }
  return out;
}

ArrayUpdate with_values(const ArrayOfCall& array, std::span<const Value> operands) {
  auto value = [&](int position) {
    return position < 0 ? Value() : operands[static_cast<std::size_t>(position)];
  };
  auto values = [&](const std::vector<int>& positions) {
    std::vector<Value> out;
    for (int position : positions)
      out.push_back(value(position));
    return out;
  };
  ArrayUpdate out{.param = value(array.param),
                  .gradient = value(array.gradient),
                  .steps = {},
                  .slots = values(array.slots),
                  .condition = value(array.condition),
                  .average = value(array.average),
                  .average_decay = value(array.average_decay)};
  for (const StepOfCall& step : array.steps) {
    out.steps.push_back(step.numbers);
    out.steps.back().operands = values(step.operands);
  }
  return out;
}

// Returns the operands whose new values are the results, in order.
std::vector<int> changed_operands(const ArrayOfCall& array) {
  std::vector<int> out = {array.param};
  out.insert(out.end(), array.slots.begin(), array.slots.end());
  if (array.average >= 0) out.push_back(array.average);
  return out;
}

// Returns the operands that are present, possibly repeated.
std::vector<int> all_operands(const ArrayOfCall& array) {
  std::vector<int> out = changed_operands(array);
  for (int operand : {array.gradient, array.condition, array.average_decay})
    out.push_back(operand);
  for (const StepOfCall& step : array.steps)
    out.insert(out.end(), step.operands.begin(), step.operands.end());
  std::erase(out, -1);
  return out;
}

std::vector<Type> infer_update(const Node& node) {
  std::vector<Type> out;
  for (const ArrayOfCall& array : node.attr<UpdateAttrs>().arrays)
    for (int operand : changed_operands(array))
      out.push_back(node.in(operand));
  return out;
}

// The results of an array depend on its own operands only.
std::vector<mesh::AxisSet> varying_of_update(const Node& node) {
  std::vector<mesh::AxisSet> out;
  for (const ArrayOfCall& array : node.attr<UpdateAttrs>().arrays) {
    mesh::AxisSet varying;
    for (int operand : all_operands(array))
      varying = varying | node.in(operand).varying;
    out.insert(out.end(), changed_operands(array).size(), varying);
  }
  return out;
}

std::vector<OutputAlias> aliases_of_update(const Node& node) {
  std::vector<OutputAlias> out;
  int result = 0;
  for (const ArrayOfCall& array : node.attr<UpdateAttrs>().arrays) {
    for (int operand : changed_operands(array)) {
      if (array.is_in_place) out.push_back({.result = result, .operand = operand});
      ++result;
    }
  }
  return out;
}

void write_update(graph::Writer& writer, const Node& node) {
  const auto& attrs = node.attr<UpdateAttrs>();
  graph::write_custom_call(
      writer, node,
      {.target = node.op->handler->name,
       .attributes = {{"codes", encoded(attrs)}, {"numbers", encoded_numbers(attrs)}}});
}

void append(const UpdatedArray& array, std::vector<Value>& results) {
  results.push_back(array.param);
  results.insert(results.end(), array.slots.begin(), array.slots.end());
  if (!array.average.is_null()) results.push_back(array.average);
}

std::vector<Value> update_reference(const Node& node, std::span<const Value> operands) {
  std::vector<Value> out;
  for (const ArrayOfCall& array : node.attr<UpdateAttrs>().arrays)
    append(updated_by_formula(with_values(array, operands)), out);
  return out;
}

// Names every dimension of every parameter uniquely. Dimensions of x get the parameter's names
// where the sizes are equal, so that they are sharded alike.
std::string axes_like(const Type& param, int array, const Type& x) {
  std::string out;
  for (int dim = 0; dim < x.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    const bool is_whole = x.dims[at] == param.dims[at];
    out += str(dim == 0 ? "" : " ", is_whole ? str("array", array, "_dim", dim) : str("one", dim));
  }
  return out;
}

KernelAxes axes_of_update(const Node& node) {
  KernelAxes axes;
  axes.operands.resize(static_cast<std::size_t>(node.num_operands()));
  int number = 0;
  for (const ArrayOfCall& array : node.attr<UpdateAttrs>().arrays) {
    const Type& param = node.in(array.param);
    auto name = [&](int operand) {
      axes.operands[static_cast<std::size_t>(operand)] = axes_like(param, number, node.in(operand));
    };
    std::ranges::for_each(all_operands(array), name);
    axes.as_arguments.push_back(array.param);
    for (int operand : changed_operands(array))
      axes.results.push_back(axes.operands[static_cast<std::size_t>(operand)]);
    ++number;
  }
  return axes;
}

// Called with candidates, which have one array each.
std::string obstacle(const Node& op, const graph::KernelTarget& /*target*/) {
  return obstacle_of_array(with_values(op.attr<UpdateAttrs>().arrays.at(0), op.operands));
}

bool waits_on_host(const Value& slot) {
  return slot.node()->op == &graph::kToDevice;
}

// Lets slots that wait on the host be copied to the device only once `turn` is computed. `turn`
// becomes the value to use in its place.
void copy_slots_after(Value& turn, std::vector<Value>& slots) {
  std::vector<Value> values = {turn};
  for (const Value& slot : slots)
    if (waits_on_host(slot)) values.push_back(slot.node()->operands[0]);
  if (values.size() == 1) return;
  values = graph::optimization_barrier(std::move(values));
  turn = values[0];
  auto next = values.begin() + 1;
  for (Value& slot : slots)
    if (waits_on_host(slot)) slot = graph::to_device(*next++);
}

// Arrays whose slots are on the device at a time: one is updated while the next are copied.
constexpr std::size_t kArraysAtATime = 2;

// The kernel updates all arrays at once, for which all slots would be on the device.
bool becomes_kernel(const ArrayUpdate& array) {
  if (std::ranges::any_of(array.slots, waits_on_host)) return false;
  Operands operands;
  UpdateAttrs attrs;
  attrs.arrays.push_back(of_call(array, operands));
  return graph::becomes_kernel(kUpdate, operands.take(), std::move(attrs));
}

}  // namespace

std::vector<UpdatedArray> update_arrays(const std::vector<ArrayUpdate>& arrays, SourceLoc loc) {
  Operands operands;
  UpdateAttrs attrs;
  std::vector<bool> is_in_call;
  for (const ArrayUpdate& array : arrays) {
    check_slots(array);
    is_in_call.push_back(becomes_kernel(array));
    if (is_in_call.back()) attrs.arrays.push_back(of_call(array, operands));
  }
  std::vector<Value> results;
  if (!attrs.arrays.empty())
    results = graph::emit_all(kUpdate, operands.take(), std::move(attrs), {}, loc);
  auto next = results.begin();
  std::vector<UpdatedArray> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!is_in_call[i]) {
      ArrayUpdate array = arrays[i];
      copy_slots_after(i < kArraysAtATime ? array.gradient : out[i - kArraysAtATime].param,
                       array.slots);
      out.push_back(updated_by_formula(array));
      continue;
    }
    UpdatedArray& updated = out.emplace_back();
    updated.param = *next++;
    for (std::size_t slot = 0; slot < arrays[i].slots.size(); ++slot)
      updated.slots.push_back(*next++);
    if (!arrays[i].average.is_null()) updated.average = *next++;
  }
  return out;
}

const OpDef kUpdate{.name = "update",
                    .infer = infer_update,
                    .write = write_update,
                    .vjp = graph::kReferenceGradient,
                    .varying = varying_of_update,
                    .handler = &kUpdateHandler,
                    .reference = update_reference,
                    .obstacle = obstacle,
                    .axes = axes_of_update,
                    .aliases = aliases_of_update};

}  // namespace meshwright::kernels
