// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/step_time.h"

#include <algorithm>

namespace meshwright::estimate {
namespace {

// Returns how far apart, in device numbers, the members of a group along these axes are.
std::int64_t extent(const mesh::Mesh& mesh, mesh::AxisSet axes) {
  std::int64_t out = 1, stride = 1;
  for (int axis = static_cast<int>(mesh.axes().size()) - 1; axis >= 0; --axis) {
    const std::int64_t size = mesh.axes()[static_cast<std::size_t>(axis)].size;
    if (axes.contains(axis)) out += (size - 1) * stride;
    stride *= size;
  }
  return out;
}

}  // namespace

double StepTime::total() const {
  return products + memory + std::max(0.0, links - products);
}

StepTime step_time(const Machine& machine,
                   const mesh::Mesh& mesh,
                   double flops,
                   double moved_bytes,
                   const std::vector<Traffic>& traffic) {
  StepTime out;
  out.products = flops / (kProductShare * machine.flops);
  out.memory = moved_bytes / (kMemoryShare * machine.memory_bytes_per_second);
  for (const Traffic& each : traffic) {
    const bool is_near = extent(mesh, each.axes) <= machine.num_near;
    const double speed = is_near ? machine.near_bytes_per_second : machine.far_bytes_per_second;
    out.links += each.received_bytes / (kLinkShare * speed);
  }
  return out;
}

}  // namespace meshwright::estimate
