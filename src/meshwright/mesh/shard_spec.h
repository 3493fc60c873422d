// SPDX-License-Identifier: Apache-2.0
// Array types as text such as "batch/data len embed/tensor": the name of each dimension and the
// mesh axes that split it. The compiler checks string literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/axis_spec.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::mesh {

namespace shard_spec {

constexpr bool is_number(std::string_view word) {
  for (char c : word) {
    if (c < '0' || c > '9') return false;
  }
  return !word.empty() && word.size() < 18;
}

/// True if `axis` occurs in a list such as "a/b/c".
constexpr bool contains(std::string_view axes, std::string_view axis) {
  while (!axes.empty()) {
    if (axis_spec::cut(axes, "/") == axis) return true;
  }
  return false;
}

constexpr bool splits_later(std::string_view array, std::string_view axis) {
  while (!array.empty()) {
    std::string_view dim = axis_spec::cut(array, " ");
    axis_spec::cut(dim, "/");
    if (contains(dim, axis)) return true;
  }
  return false;
}

// The rules of the grammar. For a literal, the compiler prints the line that is violated.
constexpr void check_array(std::string_view array) {
  while (!array.empty()) {
    std::string_view dim = axis_spec::cut(array, " ");
    bool slash = dim.find('/') != dim.npos;
    std::string_view name = axis_spec::cut(dim, "/");
    if (!axis_spec::is_name(name) && !is_number(name))
      throw "a dimension must be a name or a number";
    if (slash && dim.empty()) throw "a mesh axis must follow each '/'";
    for (std::string_view rest = dim; !rest.empty();) {
      bool more = rest.find('/') != rest.npos;
      std::string_view axis = axis_spec::cut(rest, "/");
      if (!axis_spec::is_name(axis)) throw "a mesh axis must consist of letters, digits and '_'";
      if (more && rest.empty()) throw "a mesh axis must follow each '/'";
      if (contains(rest, axis) || splits_later(array, axis)) {
        throw "a mesh axis splits an array twice";
      }
    }
  }
}

constexpr void check_formula(std::string_view text) {
  if (text.find("->") == text.npos) throw "missing '->' before the result";
  std::string_view inputs = axis_spec::cut(text, "->");
  check_array(text);
  for (bool more = true; more;) {
    more = inputs.find(',') != inputs.npos;
    check_array(axis_spec::cut(inputs, ","));
  }
}

}  // namespace shard_spec

/// One dimension of a ShardSpec.
struct DimSpec {
  std::string_view name;                    // an axis, or a number that is the size itself
  std::vector<std::string_view> mesh_axes;  // mesh axes that split it, major to minor
  bool operator==(const DimSpec&) const = default;

  /// Returns the size if the name is a number.
  std::optional<std::int64_t> size() const;
};

/// Returns text such as "d_model/t/d".
std::string to_string(const DimSpec& dim);

/// The type of an array: dimensions separated by spaces. Each is a name, or a number for a fixed
/// size, followed by "/axis" for every mesh axis that splits it, as in "layers 2 d_model/d n_kv/t".
/// An invalid string literal does not compile. This is a view: the text must outlive it.
class ShardSpec {
 public:
  consteval ShardSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(axis_spec::trimmed(text)) {
    shard_spec::check_array(text_);
  }
  /// Checks the text at run time. Throws invalid_argument if it is malformed.
  static ShardSpec parse(std::string_view text);

  std::vector<DimSpec> dims() const;
  Sharding sharding() const;
  std::string_view text() const { return text_; }

 private:
  friend class ShardFormula;
  struct Checked {
    std::string_view text;
  };
  explicit ShardSpec(Checked checked) : text_(checked.text) {}

  std::string_view text_;
};

/// The inputs and the output of an operation on shards, as in "batch/d embed, embed hidden/t ->
/// batch/d hidden/t". Like ShardSpec, it is checked at compile time and is a view.
class ShardFormula {
 public:
  consteval ShardFormula(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(text) {
    shard_spec::check_formula(text_);
  }
  /// Checks the text at run time. Throws invalid_argument if it is malformed.
  static ShardFormula parse(std::string_view text);

  std::vector<ShardSpec> inputs() const;
  ShardSpec output() const;
  std::string_view text() const { return text_; }

 private:
  explicit ShardFormula(ShardSpec::Checked checked) : text_(checked.text) {}

  std::string_view text_;
};

inline std::string to_string(const ShardSpec& spec) {
  return std::string(spec.text());
}
inline std::string to_string(const ShardFormula& formula) {
  return std::string(formula.text());
}

/// True if every axis of the mesh splits the array, so that no element is on two devices.
bool is_fully_sharded(const Mesh& mesh, const Sharding& sharding);

}  // namespace meshwright::mesh
