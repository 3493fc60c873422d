// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/prepared_program.h"

#include "meshwright/base/log.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/graph/placement/kernel_placement.h"

namespace meshwright::runtime {
namespace {

/// Arguments and results without a layout are replicated. Otherwise Shardy would choose layouts
/// during compilation, and the caller would not know them.
graph::Program pin_layouts(graph::Program program) {
  for (graph::ArgumentInfo& argument : program.arguments)
    if (!argument.sharding) argument.sharding = mesh::Sharding::replicated();
  for (graph::ResultInfo& result : program.results)
    if (!result.sharding) result.sharding = mesh::Sharding::replicated();
  return program;
}

graph::Program with_kernels(const graph::Program& program,
                            std::string_view platform,
                            bool use_kernels) {
  graph::Program placed = graph::place_kernels(program, platform, use_kernels);
  for (std::size_t i = program.warnings.size(); i < placed.warnings.size(); ++i)
    log_warning(placed.warnings[i]);
  for (const std::string& line : graph::describe(placed.kernel_choices))
    log_at(1, line);
  return placed;
}

}  // namespace

std::string PreparedProgram::key_text() const {
  return graph::write_stablehlo(placed, writing);
}

std::string PreparedProgram::full_text() const {
  graph::WriteOptions with_locations = writing;
  with_locations.locations = true;
  return graph::write_stablehlo(placed, with_locations);
}

PreparedProgram prepare(const graph::Program& program,
                        std::string_view platform,
                        const CompileOptions& options) {
  const std::int64_t num_devices = program.mesh.num_devices();
  PreparedProgram out{.placed = with_kernels(pin_layouts(program), platform, options.use_kernels),
                      .options = {.num_partitions = static_cast<int>(num_devices),
                                  .device_ids = options.device_ids,
                                  .debug_options = options.debug_options}};
  out.writing.reshapes_are_free = platform == "cpu" && num_devices == 1;
  return out;
}

}  // namespace meshwright::runtime
