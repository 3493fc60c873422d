// SPDX-License-Identifier: Apache-2.0
// The columns of a Parquet file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::data::parquet {

class ThriftReader;
struct ThriftField;

enum class PhysicalType {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  float32 = 4,
  float64 = 5,
  byte_array = 6,
  fixed_length_byte_array = 7,
};

std::string_view to_string(PhysicalType type);

enum class Repetition { required = 0, optional = 1, repeated = 2 };

struct SchemaNode {
  std::string name;
  Repetition repetition = Repetition::required;
  PhysicalType type = PhysicalType::boolean;  // of a leaf
  std::string annotation = {};                // "STRING", "DATE", ...; empty for none
  bool is_unsigned = false;                   // an integer
  std::vector<std::size_t> children = {};     // indices of nodes
  std::size_t leaf = 0;                       // of a leaf: index of its column chunk
  bool is_leaf = false;
  int max_definition = 0;
  int max_repetition = 0;
};

/// The tree of columns. Node 0 is the root.
class Schema {
 public:
  /// Reads the list of elements. Throws data_loss.
  static Schema parse(ThriftReader& reader, const ThriftField& list);

  const SchemaNode& node(std::size_t index) const { return nodes_.at(index); }
  /// Returns the node that `path`, names joined by dots, leads to from `from`. Names may contain
  /// dots. Throws invalid_argument, naming the nearest column, if there is none.
  std::size_t find(std::size_t from, std::string_view path) const;
  /// Returns the node of an element of the list at `index`. Follows the rules of the format for
  /// lists of two and three levels. Throws invalid_argument if it is not a list.
  std::size_t list_element(std::size_t index, std::string_view path) const;
  std::size_t num_leaves() const { return num_leaves_; }

 private:
  std::vector<std::size_t> found(std::size_t from, std::string_view path) const;
  void link();

  std::vector<SchemaNode> nodes_;
  std::vector<int> num_children_;  // as declared
  std::size_t num_leaves_ = 0;
};

}  // namespace meshwright::data::parquet
