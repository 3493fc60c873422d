// SPDX-License-Identifier: Apache-2.0
// The value type that models are written with. See node.h for an overview of graph/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <variant>

#include "meshwright/base/source_loc.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::graph {

struct Node;

/// An array type and, in manual regions, the mesh axes over which the value differs between
/// devices.
struct Type : ArrayType {
  mesh::AxisSet varying;

  Type() = default;
  Type(DType element, Dims sizes, mesh::AxisSet varies_over = {})
      : ArrayType{element, std::move(sizes)}, varying(varies_over) {}
  /// Returns the type without the mesh axes.
  const ArrayType& array() const { return *this; }
  bool operator==(const Type&) const = default;
};

/// One result of one node: a handle of two words, valid for the lifetime of the graph.
class Value {
 public:
  Value() = default;
  Value(Node* node, int index) : node_(node), index_(index) {}

  const Type& type() const;
  DType dtype() const { return type().dtype; }
  const Dims& dims() const { return type().dims; }
  int rank() const { return type().rank(); }
  /// Returns the size of one dimension; negative positions count from the end.
  std::int64_t dim(int position) const;

  bool is_null() const { return node_ == nullptr; }
  Node* node() const { return node_; }
  int index() const { return index_; }
  bool operator==(const Value&) const = default;

 private:
  Node* node_ = nullptr;
  int index_ = 0;
};

std::string to_string(const Value& value);

struct ValueHash {
  std::size_t operator()(const Value& value) const {
    return std::hash<const void*>()(value.node()) * 31 + static_cast<std::size_t>(value.index());
  }
};

/// An operand of a graph function: a Value, or a number that takes the dtype and shape of the other
/// operand. Converts implicitly and records the source location of the call.
class Operand {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `x + 1` is the point of this class
  Operand(Value value, SourceLoc loc = SourceLoc::current()) : content_(value), loc_(loc) {}

  template <typename Number>
  requires std::is_arithmetic_v<Number> Operand(Number number, SourceLoc loc = SourceLoc::current())
      : loc_(loc) {
    if constexpr (std::is_floating_point_v<Number>) {
      content_ = static_cast<double>(number);
    } else {
      content_ = static_cast<std::int64_t>(number);
    }
  }
  // NOLINTEND(google-explicit-constructor)

  bool is_value() const { return std::holds_alternative<Value>(content_); }
  /// Requires is_value().
  Value value() const { return std::get<Value>(content_); }
  /// Returns the value, or the number as a constant of this dtype and shape. Throws
  /// invalid_argument if the number is fractional and the dtype is not a float.
  Value value_as(DType dtype, const Dims& dims = {}) const;
  SourceLoc loc() const { return loc_; }

 private:
  std::variant<Value, double, std::int64_t> content_;
  SourceLoc loc_;
};

}  // namespace meshwright::graph
