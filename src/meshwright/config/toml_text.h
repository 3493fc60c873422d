// SPDX-License-Identifier: Apache-2.0
// TOML output.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// Returns a key, quoted if necessary.
std::string toml_key(std::string_view key);

/// Returns a value on one line.
std::string toml_value(const Node& node);

/// Returns a value for messages, truncated after about 60 characters.
std::string short_toml_value(const Node& node);

/// Returns the comment to add to a line of a document; empty for no comment.
using Comment = std::function<std::string(const std::string& path, const Node& node)>;

/// Returns a document with values first, followed by a section per table. Parsing it yields an
/// equal table.
std::string toml_document(const Table& table, const Comment& comment = {});

}  // namespace meshwright::config
