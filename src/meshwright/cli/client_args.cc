// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/client_args.h"

#include <cstdlib>

#include "meshwright/base/check.h"
#include "meshwright/runtime/plugin_environment.h"

namespace meshwright::cli {

void ClientArgs::declare(ArgumentParser& parser) {
  parser.option("--plugin", plugin, {"PATH", Offer::files}, "PJRT plugin to load");
}

void set_environment(const MeshConfig& config) {
  for (const auto& [name, value] : config.variables)
    MW_CHECK(setenv(name.c_str(), value.c_str(), /*replace=*/0) == 0, "mesh.variables: '", name,
             "' cannot be the name of a variable");
  runtime::add_xla_flags(config.xla_flags);
}

runtime::ClientOptions client_options(const MeshConfig& config, const ClientArgs& args) {
  return {.platform = config.platform,
          .num_devices = static_cast<int>(config.num_devices),
          .memory_fraction = config.memory_fraction,
          .preallocate = config.preallocate,
          .plugin_path = args.plugin,
          .bundle = args.bundle};
}

runtime::Client open_client(const MeshConfig& config, const ClientArgs& args) {
  set_environment(config);
  return runtime::open(client_options(config, args));
}

}  // namespace meshwright::cli
