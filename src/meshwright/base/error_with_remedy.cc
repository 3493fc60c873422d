// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error_with_remedy.h"

namespace meshwright {

Remedy start_fresh(std::string_view how) {
  return {RemedyKind::start_fresh, str("to start from scratch ", how), "Job::fresh"};
}

Remedy set_config(std::string purpose,
                  const std::vector<std::pair<std::string, std::string>>& settings) {
  Remedy remedy{.kind = RemedyKind::set_config, .purpose = std::move(purpose), .library = ""};
  std::vector<std::string> assignments;
  for (const auto& [key, value] : settings) {
    assignments.push_back(str(key, " = ", value));
    remedy.arguments.push_back(key);
    remedy.arguments.push_back(value);
  }
  remedy.library = join(assignments, ", ");
  return remedy;
}

std::string remedy_line(const Remedy& remedy, std::string_view how) {
  return str(remedy.purpose, ": ", how);
}

ErrorWithRemedy::ErrorWithRemedy(ErrorCode code, std::string cause, Remedy remedy)
    : Error(code, str(cause, "\n", remedy_line(remedy, remedy.library))),
      cause_(std::move(cause)),
      remedy_(std::move(remedy)) {}

void fail_after(std::string_view prefix, const Error& error) {
  if (const auto* with_remedy = dynamic_cast<const ErrorWithRemedy*>(&error))
    throw ErrorWithRemedy(error.code(), str(prefix, with_remedy->cause()), with_remedy->remedy());
  throw Error(error.code(), str(prefix, error.message()));
}

}  // namespace meshwright
