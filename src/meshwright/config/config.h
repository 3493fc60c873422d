// SPDX-License-Identifier: Apache-2.0
// Configs: TOML files into structs and back, by one fields(auto& f) per struct (fields.h), of the
// types in type_of.h.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "meshwright/config/load_tree.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/config/read.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/config/type_of.h"
#include "meshwright/config/write.h"

namespace meshwright::config {

/// The struct that a tree describes. Throws invalid_argument with everything that is wrong in it:
/// each with place, dotted path, rule and actual value.
template <typename T>
T from_tree(const Node& tree) {
  T value{};
  read_object(type_of<T>(), tree, &value);
  return value;
}

/// The struct that a file and the `key.path=value` words of a command line describe.
template <typename T>
T load(const std::filesystem::path& file, std::span<const std::string> overrides = {}) {
  return from_tree<T>(load_tree(file, overrides));
}

/// The same from a text; `name` stands for the file in messages.
template <typename T>
T from_toml(const std::string& text, const std::string& name = "config") {
  return from_tree<T>(parse_toml(std::make_shared<const Source>(Source{name, text})));
}

/// All fields with their values, as TOML that from_toml reads back to an equal struct.
template <typename T>
std::string to_toml(T value) {
  const Node tree = write_object(type_of<T>(), &value);
  return toml_document(*tree.table());
}

}  // namespace meshwright::config
