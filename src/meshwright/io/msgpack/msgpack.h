// SPDX-License-Identifier: Apache-2.0
// MessagePack as flax writes it: trees of values and arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/io/file_region.h"
#include "meshwright/io/file_system.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io {

/// An array in a file: where its row-major little-endian elements lie, in one or more pieces.
struct MsgpackArray {
  ArrayType type;
  std::vector<FileRange> pieces;
};

/// A parsed value. Members of a map keep their order.
class Msgpack {
 public:
  struct Nil {};
  using List = std::vector<Msgpack>;
  using Member = std::pair<std::string, Msgpack>;
  using Map = std::vector<Member>;
  using Value = std::variant<Nil, bool, std::int64_t, double, std::string, List, Map, MsgpackArray>;

  Msgpack() = default;
  explicit Msgpack(Value value) : value_(std::move(value)) {}

  const Value& value() const { return value_; }
  template <typename T>
  const T* find_as() const {
    return std::get_if<T>(&value_);
  }
  /// Throws data_loss if the value is not a map.
  const Map& as_map() const;
  /// Returns the member of a map; nullptr if it has no such member or this is not a map.
  const Msgpack* find(std::string_view name) const;

 private:
  Value value_;
};

/// True for a file that begins as a map.
bool is_msgpack_map(const FileSystem& files, const std::string& path);

/// Parses a file that holds one value. The elements of arrays stay in the file; arrays that flax
/// split into chunks become one. Throws data_loss, naming `name` and the offset, for a damaged
/// file, a map with two members of one name, nesting deeper than 64, or more than four million
/// values; and unimplemented for extension types and dtypes that arrays of a model cannot have.
Msgpack parse_msgpack(const ReadableFile& file, const std::string& name);

}  // namespace meshwright::io
