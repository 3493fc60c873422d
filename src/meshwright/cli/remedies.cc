// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/remedies.h"

namespace meshwright::cli {
namespace {

std::string overrides(const std::vector<std::string>& keys_and_values) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i + 1 < keys_and_values.size(); i += 2)
    out.push_back(str(keys_and_values[i], "=", keys_and_values[i + 1]));
  return join(out, " ");
}

}  // namespace

std::string in_program(const Remedy& remedy) {
  const std::string argument = remedy.arguments.empty() ? "" : remedy.arguments[0];
  switch (remedy.kind) {
    case RemedyKind::start_fresh:
      return "--fresh";
    case RemedyKind::go_back:
      return "--go-back";
    case RemedyKind::choose_plugin:
      return "--plugin PATH";
    case RemedyKind::limit_tokens:
      return str("--max-tokens ", argument.empty() ? "N" : argument);
    case RemedyKind::set_config:
      return overrides(remedy.arguments);
    case RemedyKind::list_keys:
      return argument.empty() ? "meshwright config docs"
                              : str("meshwright config explain ", argument);
  }
  return remedy.library;
}

std::string message_in_program(const Error& error) {
  const auto* with_remedy = dynamic_cast<const ErrorWithRemedy*>(&error);
  if (with_remedy == nullptr) return error.what();
  const Remedy& remedy = with_remedy->remedy();
  return str(with_remedy->cause(), "\n", remedy_line(remedy, in_program(remedy)));
}

}  // namespace meshwright::cli
