// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/placement/kernel_decision.h"

#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

const mesh::Sharding* sharding_of_argument(const Value& x, const KernelTarget& target) {
  const Node& node = *x.node();
  if (node.op != &kArgument || node.region->parent != nullptr) return nullptr;
  const auto& sharding = target.arguments[static_cast<std::size_t>(node.attr<int>())].sharding;
  return sharding ? &*sharding : nullptr;
}

std::vector<const mesh::Sharding*> known_shardings(const Node& op,
                                                   const KernelAxes& axes,
                                                   const KernelTarget& target) {
  std::vector<const mesh::Sharding*> out(op.operands.size());
  if (!axes.as_arguments.empty()) {
    for (int operand : axes.as_arguments) {
      const auto at = static_cast<std::size_t>(operand);
      out[at] = sharding_of_argument(op.operands[at], target);
    }
    return out;
  }
  // Rules describe activations. An argument that they do not split may be a parameter, which is
  // sharded only between its uses.
  const bool arguments_count = target.rules->rules().empty();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Node& node = *op.operands[i].node();
    if (node.op == &kConstrain) out[i] = &node.attr<mesh::Sharding>();
    if (arguments_count && node.op == &kArgument)
      out[i] = sharding_of_argument(op.operands[i], target);
  }
  return out;
}

std::string describe(const KernelSplit& split, const mesh::Mesh& mesh) {
  mesh::AxisSet used;
  for (const auto* shardings : {&split.operands, &split.results}) {
    for (const mesh::Sharding& sharding : *shardings) {
      for (const std::vector<std::string>& dim : sharding.dims) {
        for (const std::string& axis : dim)
          used = used | mesh::AxisSet::of(mesh.axis_index(axis));
      }
    }
  }
  if (used.empty()) return "replicated on every device";
  std::vector<std::string> names;
  for (int axis : mesh::positions(used))
    names.push_back(mesh.axes()[static_cast<std::size_t>(axis)].name);
  return str("split over mesh axes ", join(names, ", "));
}

KernelDecision decide_on_mesh(const Node& op, const KernelTarget& target) {
  if (target.mesh.num_devices() == 1) return {.is_kernel = true, .reason = "one device"};
  const mesh::AxisSet available = mesh::all_axes(target.mesh) - target.manual_axes;
  if (available.empty()) return {.is_kernel = true, .reason = "within a manual region"};
  const KernelAxes axes = op.op->axes(op);
  if (axes.on_one_device) return {.reason = "the result depends on the position of the shard"};
  KernelSplit split = split_kernel(op, axes,
                                   {.mesh = target.mesh,
                                    .available = available,
                                    .rules = *target.rules,
                                    .known = known_shardings(op, axes, target)});
  if (!split.obstacle.empty())
    return {.reason = std::move(split.obstacle), .has_split_obstacle = true};
  std::string reason = describe(split, target.mesh);
  return {.is_kernel = true, .reason = std::move(reason), .split = std::move(split)};
}

std::string obstacle_of_kernel(const Node& op, const KernelTarget& target) {
  std::string out = obstacle_of_cpu_kernels(target.program);
  return out.empty() && op.op->handler == nullptr ? "not meant for CPUs" : out;
}

std::string obstacle_of_library(const Node& op, const KernelTarget& target) {
  if (!target.program.wants_kernels) return "kernels are disabled";
  if (op.op->cuda == nullptr) return obstacle_of_cpu_kernels(target.program);
  return op.op->cuda_obstacle == nullptr ? "" : op.op->cuda_obstacle(op, target);
}

}  // namespace

std::string obstacle_of_cpu_kernels(const ProgramTarget& target) {
  if (!target.wants_kernels) return "kernels are disabled";
  return target.platform == "cpu" ? "" : str("no kernel for platform '", target.platform, "'");
}

KernelDecision decide_kernel(const Node& op, const KernelTarget& target) {
  std::string obstacle = target.program.platform == "cuda" ? obstacle_of_library(op, target)
                                                           : obstacle_of_kernel(op, target);
  if (!obstacle.empty()) return {.reason = std::move(obstacle)};
  return decide_on_mesh(op, target);
}

bool becomes_kernel(const OpDef& op, std::vector<Value> operands, std::any attrs) {
  Tracer& tracer = Tracer::current();
  const Node candidate{.op = &op,
                       .operands = std::move(operands),
                       .attrs = std::move(attrs),
                       .regions = {},
                       .types = {},
                       .loc = {}};
  if (op.obstacle == nullptr) return true;
  const std::string obstacle = op.obstacle(
      candidate,
      {.program = tracer.target(), .mesh = tracer.mesh(), .manual_axes = tracer.manual_axes()});
  if (!obstacle.empty()) tracer.record_kernel(op, false, obstacle);
  return obstacle.empty();
}

}  // namespace meshwright::graph
