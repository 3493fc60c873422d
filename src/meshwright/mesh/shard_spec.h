// SPDX-License-Identifier: Apache-2.0
// Array types as text, "batch/data len embed/tensor": the name of each dimension and the mesh axes
// that split it. Checked by the compiler where the text is a literal.
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

/// Whether `axis` is one of "a/b/c".
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

// The rules of the grammar; in a literal the compiler prints the line that is broken.
constexpr void check_array(std::string_view array) {
  while (!array.empty()) {
    std::string_view dim = axis_spec::cut(array, " ");
    bool slash = dim.find('/') != dim.npos;
    std::string_view name = axis_spec::cut(dim, "/");
    if (!axis_spec::is_name(name) && !is_number(name)) throw "a dimension is a name or a number";
    if (slash && dim.empty()) throw "a mesh axis stands behind each '/'";
    for (std::string_view rest = dim; !rest.empty();) {
      bool more = rest.find('/') != rest.npos;
      std::string_view axis = axis_spec::cut(rest, "/");
      if (!axis_spec::is_name(axis)) throw "mesh axes are words of letters, digits and '_'";
      if (more && rest.empty()) throw "a mesh axis stands behind each '/'";
      if (contains(rest, axis) || splits_later(array, axis)) {
        throw "a mesh axis splits an array twice";
      }
    }
  }
}

constexpr void check_formula(std::string_view text) {
  if (text.find("->") == text.npos) throw "there is no '->' before the result";
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
  std::string_view name;                    // of an axis, or a number that is the size itself
  std::vector<std::string_view> mesh_axes;  // that split it, major to minor
  bool operator==(const DimSpec&) const = default;

  /// The size, if the name is a number.
  std::optional<std::int64_t> size() const;
};

/// "d_model/t/d".
std::string to_string(const DimSpec& dim);

/// The type of one array: its dimensions separated by spaces, each a name, or a number for a fixed
/// size, followed by "/axis" for every mesh axis that splits it: "layers 2 d_model/d n_kv/t". A
/// string literal that breaks a rule does not compile. A view: the text must outlive it.
class ShardSpec {
 public:
  consteval ShardSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(axis_spec::trimmed(text)) {
    shard_spec::check_array(text_);
  }
  /// The same for text that is known only at run time. Throws invalid_argument.
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

/// What an operation on shards takes and gives: "batch/d embed, embed hidden/t -> batch/d
/// hidden/t". As ShardSpec, checked while compiling, and a view.
class ShardFormula {
 public:
  consteval ShardFormula(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(text) {
    shard_spec::check_formula(text_);
  }
  /// The same for text that is known only at run time. Throws invalid_argument.
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

/// Whether every axis of the mesh splits the array: no element is on two devices.
bool is_fully_sharded(const Mesh& mesh, const Sharding& sharding);

}  // namespace meshwright::mesh
