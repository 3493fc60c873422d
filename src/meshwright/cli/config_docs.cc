// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/cli/config_commands.h"
#include "meshwright/config/docs.h"

namespace meshwright::cli {

int print_config_docs(const config::Type& type, const Args& args) {
  ArgumentParser parser("config docs", "Prints docs/config.md.");
  if (!parser.parse(args)) return 0;
  std::cout << "# Every key of a config\n\n"
            << "Written by `meshwright config docs > docs/config.md`; a test compares. How configs "
               "work:\n[configuration.md](configuration.md).\n"
            << config::markdown(type);
  return 0;
}

}  // namespace meshwright::cli
