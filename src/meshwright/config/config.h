// SPDX-License-Identifier: Apache-2.0
// Configs: conversion between TOML and structs. A struct declares its members in one function,
// fields(auto& f) (fields.h); type_of.h lists the supported types.
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

/// Converts a tree to a struct. If the tree has errors, throws invalid_argument with all of them,
/// each with its location, dotted path, rule and actual value.
template <typename T>
T from_tree(const Node& tree) {
  T value{};
  read_object(type_of<T>(), tree, &value);
  return value;
}

/// Loads a struct from a file, with `key.path=value` overrides applied.
template <typename T>
T load(const std::filesystem::path& file, std::span<const std::string> overrides = {}) {
  return from_tree<T>(load_tree(file, overrides));
}

/// Loads a struct from text. Messages use `name` as the file's name.
template <typename T>
T from_toml(const std::string& text, const std::string& name = "config") {
  return from_tree<T>(parse_toml(std::make_shared<const Source>(Source{name, text})));
}

/// Returns all fields with their values as TOML. from_toml() converts it back to an equal struct.
template <typename T>
std::string to_toml(T value) {
  const Node tree = write_object(type_of<T>(), &value);
  return toml_document(*tree.table());
}

}  // namespace meshwright::config
