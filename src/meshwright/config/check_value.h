// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/check.h"
#include "meshwright/config/node.h"
#include "meshwright/config/problems.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

struct CheckedValue {
  const Type& type;
  void* object;
  std::string path;
  const Checks& checks;
};

/// Reports where a value that was read from `node` violates its constraints.
void check_value(const CheckedValue& value, const Node& node, Problems& problems);

}  // namespace meshwright::config
