// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/node.h"

namespace meshwright::config {

/// The choice of an alternative of a tagged table.
struct Condition {
  std::string key;    // "optimizer.type"
  std::string value;  // "adamw", as written in TOML

  bool operator==(const Condition&) const = default;
};
/// Returns text such as `optimizer.type = "adamw"`.
std::string to_string(const Condition& condition);

/// A field that a config may contain.
struct FoundField {
  std::string path;
  std::optional<Condition> condition;  // set for the fields of a tagged table
  Field field;                         // its `value` must not be used
  // nullopt if it is required, or if it is an element rather than a field
  std::optional<Node> default_value;
};

/// Returns the fields at a path: several if alternatives of a tagged table share a name. With
/// `resolved`, returns only those of the alternatives selected there. If there is none, throws
/// invalid_argument, naming the type that would have the key or suggesting the nearest name.
std::vector<FoundField> find_fields(const Type& type,
                                    const std::string& path,
                                    const Node* resolved = nullptr);

/// Describes a field of an object.
FoundField describe(const Field& field, const std::string& path);

/// Describes the values of a field: "a number, positive, in seconds".
std::string field_type_text(const Field& field);

}  // namespace meshwright::config
