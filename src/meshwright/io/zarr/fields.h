// SPDX-License-Identifier: Apache-2.0
// Members that both versions of the metadata have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io::zarr {

/// A list of whole numbers. Throws data_loss.
Dims read_dims(const JsonValue& value);

/// An element as bytes from a fill value: a number, a truth value, "NaN", "Infinity", "-Infinity",
/// "0x7fc00000" (the bits), or null for zero. Throws data_loss if the dtype does not have it.
std::vector<std::byte> read_fill(const JsonValue& value, DType dtype);

/// The member `name` of an object read by `read`, with the name in front of what it throws.
template <typename Read>
auto read_member(const JsonValue& object, std::string_view name, const Read& read) {
  const JsonValue& member = object.at(name);
  try {
    return read(member);
  } catch (const Error& error) {
    throw error.with_context(str("'", name, "'"));
  }
}

/// What `read` gives for a file of JSON, with the file's name in front of what it throws.
template <typename Read>
auto read_named_json(std::string_view json, const std::string& name, const Read& read) {
  JsonValue value = parse_json(json, name);
  try {
    return read(value);
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

/// The whole number `name` of an object, or `otherwise` if it has none.
std::int64_t integer_or(const JsonValue* object, std::string_view name, std::int64_t otherwise);

}  // namespace meshwright::io::zarr
