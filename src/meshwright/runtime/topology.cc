// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/topology.h"

#include <cstdlib>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/plugin.h"
#include "meshwright/pjrt/topology.h"
#include "meshwright/runtime/compile_cache.h"
#include "meshwright/runtime/device_description.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/prepared_program.h"
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
  const std::string path = compiler_path(options.platform, options.plugin_path);
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

auto compiler_for(const pjrt::Topology& topology) {
  return [&topology](const std::string& text, const pjrt::CompileOptions& options) {
    return topology.compile(text, options);
  };
}

}  // namespace

Topology::Topology(const TopologyOptions& options) : state_(describe(options)) {}

BuildTarget Topology::target() const {
  return build_target(
      {.platform = state_->platform_name(),
       .device_kind = device_kind(),
       .num_devices = num_devices(),
       .plugin_version = state_->platform_version(),
       .plugin_digest = CompileCache(default_cache_folder()).file_digest(state_->plugin().path())});
}

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
  if (program.mesh.num_devices() != num_devices())
    fail(ErrorCode::device, "the mesh ", program.mesh, " has ", program.mesh.num_devices(),
         " devices, but the topology has ", num_devices(), " of kind ", device_kind(),
         "\nuse a mesh with as many devices, or a topology of that size");
  const PreparedProgram ready = prepare(program, state_->platform_name(), options);
  AheadOfTimeProgram out =
      compile_ahead({ready.key_text(), ready.full_text(), ready.options, /*kernels=*/{}}, target(),
                    compiler_for(*state_));
  out.kernel_choices = ready.placed.kernel_choices;
  return out;
}

AheadOfTimeProgram Topology::compile_text(const std::string& stablehlo,
                                          const pjrt::CompileOptions& options) const {
  return compile_ahead({stablehlo, stablehlo, options, /*kernels=*/{}}, target(),
                       compiler_for(*state_));
}

}  // namespace meshwright::runtime
