// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/step_plan.h"

#include <set>
#include <string>
#include <utility>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/nn/flops.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::train {
namespace {

// The arguments of a step are the leaves of the state, then those of the batch.
void add_arguments(const Job& job,
                   const StateLayout& layout,
                   const graph::Program& program,
                   const estimate::Splits& splits,
                   PlannedMemory& out) {
  int next = 0;
  for_each(layout.specs, [&](const std::string& path, const ParamSpec&) {
    const int argument = next++;
    if (program.arguments[static_cast<std::size_t>(argument)].is_on_host) return;
    const std::int64_t bytes = splits.bytes(program.main->arg(argument));
    (path.starts_with("model/") ? out.params : out.optimizer) += bytes;
  });
  for_each(job.source->spec(), [&](const std::string&, const data::ArraySpec&) {
    out.batch += splits.bytes(program.main->arg(next++));
  });
}

std::set<Dims> shapes_of(const ParamSpecs& params) {
  std::set<Dims> out;
  for_each(params, [&](const std::string&, const ParamSpec& spec) { out.insert(spec.type.dims); });
  return out;
}

}  // namespace

StepEstimate estimate_step(const Job& job, const estimate::Machine& machine) {
  const TrainingSetup setup = setup_of(job);
  const Placement& placement = job.placement;
  const graph::Program traced = trace_step(setup, job.source->spec(), job.config.step).program;
  const graph::Program program =
      graph::place_kernels(traced, placement.target.platform, placement.target.wants_kernels);
  const estimate::Splits splits(program);
  estimate::Memory memory = estimate::memory_of(program, splits);
  StepEstimate out;
  add_arguments(job, setup.layout, program, splits, out.memory);
  const std::set<Dims> shapes = shapes_of(job.task->param_specs());
  for (const estimate::LiveArray& array : memory.at_peak) {
    const bool is_gradient = shapes.contains(array.type.dims);
    (is_gradient        ? out.memory.gradients
     : array.is_of_loop ? out.memory.kept
                        : out.memory.working) += array.bytes;
  }
  out.at_peak = std::move(memory.at_peak);
  out.traffic = estimate::traffic_of(program, splits);
  const double flops = nn::num_flops(traced) / static_cast<double>(placement.mesh.num_devices());
  out.time = estimate::step_time(machine, placement.mesh, flops,
                                 static_cast<double>(memory.moved_bytes), out.traffic);
  return out;
}

}  // namespace meshwright::train
