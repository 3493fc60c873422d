// SPDX-License-Identifier: Apache-2.0
// Internal to records/.
#pragma once

#include <optional>
#include <string_view>

#include "meshwright/data/parquet/schema.h"

namespace meshwright::data {

using ValueOrNull = std::optional<std::string_view>;

/// True if a value of a column, in the form of parquet::ValueDecoder, is the one that `wanted`
/// writes. Floating-point numbers are compared by value.
bool is_equal(const parquet::SchemaNode& column, ValueOrNull value, std::string_view wanted);

}  // namespace meshwright::data
