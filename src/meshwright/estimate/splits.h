// SPDX-License-Identifier: Apache-2.0
// How XLA's partitioner can be expected to split the values of a program over the mesh.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::estimate {

/// The mesh axes that split each dimension of an array.
using Split = std::vector<mesh::AxisSet>;

/// Returns the axes that split any dimension.
mesh::AxisSet axes_of(const Split& split);
/// Returns the number of devices along these axes.
std::int64_t num_devices(const mesh::Mesh& mesh, mesh::AxisSet axes);
/// Returns the bytes of one device's part of an array.
std::int64_t part_bytes(const mesh::Mesh& mesh, const ArrayType& type, const Split& split);

/// The splits of all values of a program. Declared shardings (of arguments, results and
/// constrain()) spread to other values: first from operands to results, where the first use of a
/// mesh axis in an array wins, then from results to operands, except through sums. In manual
/// regions, values are the parts of one device.
class Splits {
 public:
  explicit Splits(const graph::Program& program);

  const mesh::Mesh& mesh() const { return mesh_; }
  const Split& of(const graph::Value& value) const { return splits_.at(value); }
  std::int64_t bytes(const graph::Value& value) const {
    return part_bytes(mesh_, value.type(), of(value));
  }
  /// Returns how the operands of a node without regions alone would split its result, before its
  /// users are regarded.
  Split natural(const graph::Node& node, int result) const;

 private:
  Split declared(const mesh::Sharding& sharding, const ArrayType& type) const;
  void assign(const graph::Value& value, Split split);
  /// Adds the axes that the value can take.
  void spread(const Split& from, const graph::Value& to);
  void forward(const graph::Region& region);
  void forward_into_regions(const graph::Node& node);
  void backward(const graph::Region& region);
  void backward_into_regions(const graph::Node& node);
  void backward_to_operands(const graph::Node& node);
  bool is_pinned(const graph::Value& value) const;

  mesh::Mesh mesh_;
  std::unordered_map<graph::Value, Split, graph::ValueHash> splits_;
};

}  // namespace meshwright::estimate
