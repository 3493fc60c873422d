// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/cli/config_commands.h"
#include "meshwright/config/schema.h"

namespace meshwright::cli {

int print_config_schema(const config::Type& type, const Args& args) {
  ArgumentParser parser("config schema",
                        "Prints the JSON Schema of configs, with which editors complete keys and "
                        "mark mistakes (docs/configuration.md).");
  if (!parser.parse(args)) return 0;
  std::cout << config::json_schema(type);
  return 0;
}

}  // namespace meshwright::cli
