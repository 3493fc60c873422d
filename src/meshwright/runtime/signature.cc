// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {
namespace {

SharedLayout layout_of(const std::string& what,
                       const ArrayType& type,
                       const mesh::Mesh& mesh,
                       const std::optional<mesh::Sharding>& sharding) {
  return std::make_shared<const ArrayLayout>(what, type, mesh,
                                             sharding.value_or(mesh::Sharding::replicated()));
}

}  // namespace

graph::Program pin_layouts(graph::Program program) {
  for (graph::ArgumentInfo& argument : program.arguments)
    if (!argument.sharding) argument.sharding = mesh::Sharding::replicated();
  for (graph::ResultInfo& result : program.results)
    if (!result.sharding) result.sharding = mesh::Sharding::replicated();
  return program;
}

pjrt::CompileOptions pjrt_options(const CompileOptions& options, std::int64_t num_devices) {
  return {.num_partitions = static_cast<int>(num_devices),
          .device_ids = options.device_ids,
          .debug_options = options.debug_options};
}

graph::Program place_kernels(const graph::Program& program,
                             std::string_view platform,
                             const CompileOptions& options) {
  graph::Program placed = graph::place_kernels(program, platform, options.use_kernels);
  for (std::size_t i = program.warnings.size(); i < placed.warnings.size(); ++i)
    log_warning(placed.warnings[i]);
  for (const std::string& line : graph::describe(placed.kernel_choices))
    log_at(1, line);
  return placed;
}

Signature signature_of(const graph::Program& program) {
  Signature signature{.mesh = program.mesh,
                      .arguments = {},
                      .results = {},
                      .kernel_choices = program.kernel_choices};
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    const graph::ResultInfo& info = program.results[i];
    signature.results.push_back(
        {.name = info.name,
         .layout = layout_of(str("result ", i, " (", info.name, ")"),
                             program.main->results[i].type(), program.mesh, info.sharding)});
  }
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const graph::ArgumentInfo& info = program.arguments[i];
    Signature::Argument argument{.name = info.name,
                                 .layout = layout_of(str("argument ", i, " (", info.name, ")"),
                                                     program.main->arg(static_cast<int>(i)).type(),
                                                     program.mesh, info.sharding),
                                 .is_donated = info.donated_to.has_value()};
    if (info.donated_to) {
      Signature::Result& result = signature.results.at(static_cast<std::size_t>(*info.donated_to));
      result.donor = i;
      // Shares one object, so that the check of the next step compares pointers.
      if (*result.layout == *argument.layout) argument.layout = result.layout;
    }
    signature.arguments.push_back(std::move(argument));
  }
  return signature;
}

}  // namespace meshwright::runtime
