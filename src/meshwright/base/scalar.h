// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "meshwright/base/str.h"

namespace meshwright {

/// One value of a small state that is kept with a checkpoint, a setting, or the like.
using Scalar = std::variant<bool, std::int64_t, double, std::string>;

/// "true", "3", "0.5", "'text'".
inline std::string scalar_text(const Scalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return str("'", *text, "'");
  return std::visit([](const auto& value) { return str(value); }, scalar);
}

}  // namespace meshwright
