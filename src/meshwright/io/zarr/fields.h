// SPDX-License-Identifier: Apache-2.0
// Metadata members shared by both versions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io::zarr {

/// Reads a list of integers. Throws data_loss if the value is anything else.
Dims read_dims(const JsonValue& value);

/// Returns one element as bytes from a fill value: a number, a boolean, "NaN", "Infinity",
/// "-Infinity", "0x7fc00000" (the bits), or null for zero. Throws data_loss if the dtype cannot
/// represent it.
std::vector<std::byte> read_fill(const JsonValue& value, DType dtype);

/// Reads the member `name` of an object with `read`, and prefixes errors with that name.
template <typename Read>
auto read_member(const JsonValue& object, std::string_view name, const Read& read) {
  const JsonValue& member = object.at(name);
  try {
    return read(member);
  } catch (const Error& error) {
    throw error.with_context(str("'", name, "'"));
  }
}

/// Parses a JSON file with `read`, and prefixes errors with the name of the file.
template <typename Read>
auto read_named_json(std::string_view json, const std::string& name, const Read& read) {
  JsonValue value = parse_json(json, name);
  try {
    return read(value);
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

/// Returns the integer member `name` of an object, or `otherwise` if it is missing.
std::int64_t integer_or(const JsonValue* object, std::string_view name, std::int64_t otherwise);

}  // namespace meshwright::io::zarr
