// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// The table that a TOML text describes. Throws invalid_argument with file, line and column for
/// what is not TOML, and for dates and times, which no setting takes.
Node parse_toml(const std::shared_ptr<const Source>& source);

/// The value that `text` is in TOML, nothing if it is none. Whoever asks decides what text that is
/// no TOML means.
std::optional<Node> find_toml_value(const std::string& text);

}  // namespace meshwright::config
