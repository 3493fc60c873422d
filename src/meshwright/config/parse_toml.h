// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// Parses TOML text. Throws invalid_argument, with the file, line and column, for invalid TOML and
/// for dates and times, which no setting uses.
Node parse_toml(const std::shared_ptr<const Source>& source);

/// Parses a single TOML value; nullopt if `text` is not one.
std::optional<Node> find_toml_value(const std::string& text);

}  // namespace meshwright::config
