// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/node.h"

namespace meshwright::config {

/// A field as a config may hold it.
struct FoundField {
  std::string path;
  std::string condition;  // of which tagged table: `optimizer.type = "adamw"`; empty if of none
  Field field;            // its `value` is not to be used
  std::optional<Node> default_value;  // nothing if it is required, or no field but an element
};

/// The fields that a path may mean: more than one where the alternatives of a tagged table share a
/// name. With `resolved`, only those of the alternatives chosen there. Throws invalid_argument if
/// there is none: with the type that would have the key, or the nearest name.
std::vector<FoundField> find_fields(const Type& type,
                                    const std::string& path,
                                    const Node* resolved = nullptr);

/// A field of an object, described.
FoundField describe(const Field& field, const std::string& path);

/// "a number, positive, in seconds": what a field takes.
std::string field_type_text(const Field& field);

}  // namespace meshwright::config
