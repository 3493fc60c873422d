// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/cli/arguments.h"
#include "meshwright/cli/mesh_config.h"
#include "meshwright/runtime/client.h"

namespace meshwright::cli {

/// Options for opening a client.
struct ClientArgs {
  std::string plugin;
  std::string bundle = {};  // see ClientOptions::bundle; only some commands declare it

  void declare(ArgumentParser& parser);
};

/// Sets the variables and flags of a config, unless they are set already.
void set_environment(const MeshConfig& config);

/// Returns the options of the config's devices.
runtime::ClientOptions client_options(const MeshConfig& config, const ClientArgs& args);

runtime::Client open_client(const MeshConfig& config, const ClientArgs& args);

}  // namespace meshwright::cli
