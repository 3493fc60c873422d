// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/sharding/process_axes.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

// Returns the process axes that split a dimension. Throws unless they come first, so that each
// process holds one contiguous range.
MeshAxes leading_process_axes(const mesh::Mesh& mesh, const std::vector<std::string>& axes) {
  mesh::AxisSet processes = mesh::process_axes(mesh);
  auto is_process = [&](const std::string& name) {
    return processes.contains(mesh.axis_index(name));
  };
  auto end = std::ranges::find_if_not(axes, is_process);
  MW_CHECK(std::none_of(end, axes.end(), is_process), "process_whole: mesh axes ", axes,
           " split a dimension; process axes must come first");
  return {axes.begin(), end};
}

}  // namespace

Value process_whole(Value parameter, const mesh::Sharding& stored, SourceLoc loc) {
  const mesh::Mesh& mesh = Tracer::current().mesh();
  for (std::size_t dim = 0; dim < stored.dims.size(); ++dim) {
    MeshAxes axes = leading_process_axes(mesh, stored.dims[dim]);
    if (!axes.empty()) parameter = all_gather(parameter, static_cast<std::int64_t>(dim), axes, loc);
  }
  return vary(parameter, mesh::process_axes(mesh), loc);
}

}  // namespace meshwright::graph
