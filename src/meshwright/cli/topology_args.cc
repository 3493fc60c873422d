// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/topology_args.h"

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"

namespace meshwright::cli {

void declare_topology(ArgumentParser& parser, std::string& name) {
  parser.option("--topology", name, {"NAME"},
                "the machines, such as v5p:4x4x4, v5e:16, h100:8 or h200:2x8 (hosts x GPUs)");
}

runtime::NamedTopology topology_of(const std::string& name, const ClientArgs& args) {
  runtime::NamedTopology out = runtime::named_topology(name);
  out.options.plugin_path = args.plugin;
  return out;
}

Args for_topology(Args args, const runtime::NamedTopology& topology) {
  args.push_back(str("mesh.platform=", topology.options.platform));
  args.push_back(str("mesh.num_devices=", topology.num_devices));
  return args;
}

void check_mesh(const std::string& command,
                const mesh::Mesh& mesh,
                const runtime::NamedTopology& topology) {
  MW_CHECK(mesh.num_devices() == topology.num_devices, command, ": the mesh (", mesh, ") has ",
           counted(mesh.num_devices(), "device"), ", and the topology has ", topology.num_devices,
           "\nset mesh.axes, for example mesh.axes={data=", topology.num_devices,
           "}, and [sharding], or name a topology of that size");
}

}  // namespace meshwright::cli
