// SPDX-License-Identifier: Apache-2.0
// Options of commands that compile for machines that need not be there.
#pragma once

#include <string>

#include "meshwright/cli/arguments.h"
#include "meshwright/cli/client_args.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/runtime/named_topology.h"

namespace meshwright::cli {

/// Declares --topology.
void declare_topology(ArgumentParser& parser, std::string& name);

/// Returns the topology of this name, which the plugin of the arguments compiles for.
runtime::NamedTopology topology_of(const std::string& name, const ClientArgs& args);

/// Returns the arguments of a config with the topology's platform and number of devices.
Args for_topology(Args args, const runtime::NamedTopology& topology);

/// Throws invalid_argument unless the mesh has as many devices as the topology.
void check_mesh(const std::string& command,
                const mesh::Mesh& mesh,
                const runtime::NamedTopology& topology);

}  // namespace meshwright::cli
