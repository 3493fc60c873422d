// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/tensor/host_tensor.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::runtime {

/// How one array lies on the devices of a mesh. Immutable, and shared by the arrays that lie so.
class ArrayLayout {
 public:
  /// Throws invalid_argument as mesh::ShardLayout does, with `what` in front.
  ArrayLayout(const std::string& what, ArrayType type, mesh::Mesh mesh, mesh::Sharding sharding);

  const ArrayType& type() const { return type_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  const mesh::Sharding& sharding() const { return sharding_; }
  /// What one device holds.
  const ArrayType& shard_type() const { return shard_type_; }
  std::size_t num_devices() const { return shard_of_device_.size(); }
  std::size_t num_shards() const { return static_cast<std::size_t>(shards_.num_shards()); }
  /// Which part of the array a device holds.
  std::size_t shard_of(std::size_t device) const { return shard_of_device_[device]; }
  /// Where a part lies in the whole array.
  std::vector<mesh::Range> ranges(std::size_t shard) const;
  /// How many devices hold each part, and one of them: the first.
  std::size_t num_replicas() const { return static_cast<std::size_t>(shards_.num_replicas()); }
  std::size_t device_of(std::size_t shard, std::size_t replica = 0) const;

  /// Copies one part out of the whole array; returns `whole` itself if the part is all of it.
  HostTensor cut(const HostTensor& whole, std::size_t shard) const;
  /// Copies one part to its place in the whole array.
  void paste(HostTensor& whole, std::size_t shard, const HostTensor& part) const;

  /// Whether each device holds the same part of the same array, however the mesh axes are called.
  bool operator==(const ArrayLayout& other) const;

 private:
  mesh::Runs runs(std::size_t shard) const;

  ArrayType type_;
  mesh::Mesh mesh_;
  mesh::Sharding sharding_;
  mesh::ShardLayout shards_;
  ArrayType shard_type_;
  std::vector<std::size_t> shard_of_device_;
};

using SharedLayout = std::shared_ptr<const ArrayLayout>;

/// "f32[8,128] as [data, -] on data=2,tensor=4".
std::string to_string(const ArrayLayout& layout);

}  // namespace meshwright::runtime
