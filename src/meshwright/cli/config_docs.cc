// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/cli/config_commands.h"
#include "meshwright/config/docs.h"

namespace meshwright::cli {
namespace {

struct DocsArgs {
  void declare(ArgumentParser& parser) { parser.description("Prints docs/config.md."); }
};

int print_docs(const config::Type& type) {
  std::cout << "# Every key of a config\n\n"
            << "Written by `meshwright config docs > docs/config.md`; a test compares. How configs "
               "work:\n[configuration.md](configuration.md).\n"
            << config::markdown(type);
  return 0;
}

}  // namespace

CommandBody print_config_docs(const std::string& name, const config::Type& type) {
  return make_command<DocsArgs>(name, [&type](const DocsArgs&) { return print_docs(type); });
}

}  // namespace meshwright::cli
