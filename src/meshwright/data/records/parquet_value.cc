// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/parquet_value.h"

#include <charconv>
#include <cstdint>
#include <cstring>

namespace meshwright::data {
namespace {

using parquet::PhysicalType;

template <typename Number>
bool is_number(std::string_view value, std::string_view wanted) {
  Number parsed{};
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), parsed);
  if (error != std::errc() || end != wanted.data() + wanted.size()) return false;
  Number stored{};
  std::memcpy(&stored, value.data(), sizeof(stored));
  return stored == parsed;
}

}  // namespace

bool is_equal(const parquet::SchemaNode& column, ValueOrNull value, std::string_view wanted) {
  if (!value) return wanted == "null";
  switch (column.type) {
    case PhysicalType::boolean:
      return wanted == (value->front() == 0 ? "false" : "true");
    case PhysicalType::int32:
      return column.is_unsigned ? is_number<std::uint32_t>(*value, wanted)
                                : is_number<std::int32_t>(*value, wanted);
    case PhysicalType::int64:
      return column.is_unsigned ? is_number<std::uint64_t>(*value, wanted)
                                : is_number<std::int64_t>(*value, wanted);
    case PhysicalType::float32:
      return is_number<float>(*value, wanted);
    case PhysicalType::float64:
      return is_number<double>(*value, wanted);
    default:
      return *value == wanted;
  }
}

}  // namespace meshwright::data
