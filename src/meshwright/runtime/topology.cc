// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/topology.h"

#include <cstdlib>

#include "meshwright/base/check.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/pjrt/plugin.h"
#include "meshwright/pjrt/topology.h"
#include "meshwright/runtime/device_description.h"
#include "meshwright/runtime/platform_flags.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/xla_flags.h"

namespace meshwright::runtime {
namespace {

/// Compiles a trivial program, so that XLA reads its flags if it has not read them yet.
void compile_nothing(const pjrt::Topology& topology) {
  const std::size_t n = topology.devices().size();
  topology.compile(str("module @nothing attributes {mhlo.num_partitions = ", n,
                       " : i32} {\n  func.func public @main(%x: tensor<f32>) -> tensor<f32> {\n",
                       "    return %x : tensor<f32>\n  }\n}\n"),
                   {.num_partitions = static_cast<int>(n)});
}

std::shared_ptr<const pjrt::Topology> describe(const TopologyOptions& options) {
  std::string path = plugin_path(options.platform, options.plugin_path);
  prepare_plugin_environment(options.platform);
  // Otherwise libtpu queries the metadata server of a cloud machine.
  if (options.platform == "tpu") {
    setenv("TPU_SKIP_MDS_QUERY", "1", /*replace=*/0);
    // libtpu locks the chips of the machine, but none is used here.
    setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", /*replace=*/0);
  }
  std::vector<pjrt::NamedValue> named;
  for (const auto& [name, value] : options.options)
    named.push_back({name, value});
  const auto& plugin = pjrt::Plugin::load(path);
  if (!xla_flags_of_user().empty())
    check_xla_flags(plugin, [&] { compile_nothing({plugin, options.name, named}); });
  return std::make_shared<const pjrt::Topology>(plugin, options.name, named);
}

}  // namespace

Topology::Topology(const TopologyOptions& options) : state_(describe(options)) {}

int Topology::num_devices() const {
  return static_cast<int>(state_->devices().size());
}

std::vector<DeviceInfo> Topology::devices() const {
  std::vector<DeviceInfo> out;
  for (const pjrt::DeviceDescription& device : state_->devices())
    out.push_back(describe_device(device, state_->platform_name()));
  return out;
}

std::string Topology::device_kind() const {
  return state_->devices().at(0).kind();
}

AheadOfTimeProgram Topology::compile(const graph::Program& program,
                                     const CompileOptions& options) const {
  const pjrt::CompileOptions compiling = pjrt_options(options, program.mesh.num_devices());
  if (compiling.num_partitions != num_devices())
    fail(ErrorCode::device, "the mesh ", program.mesh, " has ", compiling.num_partitions,
         " devices, but the topology has ", num_devices(), " of kind ", device_kind(),
         "\nuse a mesh with as many devices, or a topology of that size");
  graph::Program placed = place_kernels(pin_layouts(program), state_->platform_name(), options);
  std::string text = graph::write_stablehlo(placed, {.locations = true});
  AheadOfTimeProgram out{.kernel_choices = placed.kernel_choices};
  with_platform_flags(state_->platform_name(), compiling, [&](const pjrt::CompileOptions& flagged) {
    const pjrt::Executable executable = state_->compile(text, flagged);
    out.serialized = executable.serialize();
    out.memory = executable.memory_stats();
    out.costs = executable.costs();
    out.optimized_program = executable.optimized_program().code;
  });
  return out;
}

}  // namespace meshwright::runtime
