// SPDX-License-Identifier: Apache-2.0
// Writing TOML.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/config/node.h"

namespace meshwright::config {

/// A key as it is written, in quotes where it needs them.
std::string toml_key(std::string_view key);

/// A value on one line.
std::string toml_value(const Node& node);

/// The same for messages: cut after about 60 characters.
std::string short_toml_value(const Node& node);

/// What stands after a line of a document; empty for nothing.
using Comment = std::function<std::string(const std::string& path, const Node& node)>;

/// A whole document: values first, then a section per table. Read again it gives an equal table.
std::string toml_document(const Table& table, const Comment& comment = {});

}  // namespace meshwright::config
