// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/cli/config_commands.h"
#include "meshwright/config/schema.h"

namespace meshwright::cli {
namespace {

struct SchemaArgs {
  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints the JSON Schema of configs, with which editors complete keys and mark mistakes "
        "(docs/configuration.md).");
  }
};

}  // namespace

CommandBody print_config_schema(const std::string& name, const config::Type& type) {
  return make_command<SchemaArgs>(name, [&type](const SchemaArgs&) {
    std::cout << config::json_schema(type);
    return 0;
  });
}

}  // namespace meshwright::cli
