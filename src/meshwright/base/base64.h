// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace meshwright {

/// Returns the bytes as base64 with padding (RFC 4648).
std::string to_base64(std::string_view bytes);

/// Returns the bytes of base64 text, with or without padding; nullopt if it is not valid.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace meshwright
