// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/topology.h"

#include "meshwright/base/str.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/program.h"

namespace meshwright::pjrt {
namespace {

constexpr std::string_view kAskingTopology = "querying a topology";

Handle<c::TopologyDescription> create(const Plugin& plugin,
                                      const std::string& name,
                                      const std::vector<NamedValue>& options) {
  std::vector<c::NamedValue> c_options = to_c(options);
  auto args = call(plugin, &c::Api::topology_description_create,
                   {.topology_name = name.data(),
                    .topology_name_size = name.size(),
                    .create_options = c_options.data(),
                    .num_options = c_options.size()},
                   str("describing the topology '", name, "'"));
  return {plugin, args.topology};
}

}  // namespace

Topology::Topology(const Plugin& plugin,
                   const std::string& name,
                   const std::vector<NamedValue>& options)
    : handle_(create(plugin, name, options)) {}

std::string Topology::platform_name() const {
  auto args = call(handle_.plugin(), &c::Api::topology_description_platform_name,
                   {.topology = handle_.get()}, kAskingTopology);
  return {args.platform_name, args.platform_name_size};
}

std::string Topology::platform_version() const {
  auto args = call(handle_.plugin(), &c::Api::topology_description_platform_version,
                   {.topology = handle_.get()}, kAskingTopology);
  return {args.platform_version, args.platform_version_size};
}

std::vector<DeviceDescription> Topology::devices() const {
  auto args = call(handle_.plugin(), &c::Api::topology_description_get_device_descriptions,
                   {.topology = handle_.get()}, kAskingTopology);
  std::vector<DeviceDescription> out;
  for (std::size_t i = 0; i < args.num_descriptions; ++i)
    out.emplace_back(handle_.plugin(), args.descriptions[i]);
  return out;
}

Executable Topology::compile(std::string_view program, const CompileOptions& options) const {
  std::string proto = serialize(options);
  c::Program c_program = program_view(program, ProgramFormat::stablehlo);
  auto args = call(handle_.plugin(), &c::Api::compile,
                   {.topology = handle_.get(),
                    .program = &c_program,
                    .compile_options = proto.data(),
                    .compile_options_size = proto.size()},
                   "compiling a program ahead of time");
  return Executable(Handle(handle_.plugin(), args.executable));
}

}  // namespace meshwright::pjrt
