// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/client_words.h"

namespace meshwright::cli {

void ClientWords::declare(ArgumentParser& parser) {
  parser.option("--plugin", plugin, "PATH", "the PJRT plugin to load");
}

runtime::Client open_client(const MeshConfig& config, const ClientWords& words) {
  return runtime::open({.platform = config.platform,
                        .num_devices = static_cast<int>(config.num_devices),
                        .plugin_path = words.plugin});
}

}  // namespace meshwright::cli
