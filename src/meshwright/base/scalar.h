// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "meshwright/base/str.h"

namespace meshwright {

/// A single value, such as a setting or a counter saved with a checkpoint.
using Scalar = std::variant<bool, std::int64_t, double, std::string>;

/// Returns text such as "true", "3", "0.5" or "'text'".
inline std::string scalar_text(const Scalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return str("'", *text, "'");
  return std::visit([](const auto& value) { return str(value); }, scalar);
}

}  // namespace meshwright
