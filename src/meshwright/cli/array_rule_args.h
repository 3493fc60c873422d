// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/cli/arguments.h"

namespace meshwright::cli {

/// Options that select, rename and cast arrays.
struct ArrayRuleArgs {
  std::optional<std::string> only;
  Args drop, rename, cast, reinterpret;

  void declare(ArgumentParser& parser);
  /// Throws invalid_argument, naming the command and the option, for malformed rules.
  checkpoint::ArrayRules rules(std::string_view command) const;
  /// Returns a text that differs for other rules.
  std::string text() const;
};

}  // namespace meshwright::cli
