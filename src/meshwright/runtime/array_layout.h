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

/// The layout of an array on the devices of a mesh. Immutable, and shared by all arrays with this
/// layout.
class ArrayLayout {
 public:
  /// Throws the invalid_argument errors of mesh::ShardLayout, with messages that start with `what`.
  ArrayLayout(const std::string& what, ArrayType type, mesh::Mesh mesh, mesh::Sharding sharding);

  const ArrayType& type() const { return type_; }
  const mesh::Mesh& mesh() const { return mesh_; }
  const mesh::Sharding& sharding() const { return sharding_; }
  /// Returns the type of the shard on one device.
  const ArrayType& shard_type() const { return shard_type_; }
  std::size_t num_devices() const { return shard_of_device_.size(); }
  std::size_t num_shards() const { return static_cast<std::size_t>(shards_.num_shards()); }
  /// Returns the index of the shard that a device holds.
  std::size_t shard_of(std::size_t device) const { return shard_of_device_[device]; }
  /// Returns the ranges of a shard within the whole array.
  std::vector<mesh::Range> ranges(std::size_t shard) const;
  /// Returns the number of devices that hold each shard; device_of() returns one of them.
  std::size_t num_replicas() const { return static_cast<std::size_t>(shards_.num_replicas()); }
  std::size_t device_of(std::size_t shard, std::size_t replica = 0) const;

  /// Returns a copy of one shard of the whole array, or `whole` itself if it is the only shard.
  HostTensor cut(const HostTensor& whole, std::size_t shard) const;
  /// Copies one shard into its place in the whole array.
  void paste(HostTensor& whole, std::size_t shard, const HostTensor& part) const;

  /// True if each device holds the same shard of an array of the same type, regardless of the names
  /// of the mesh axes.
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

/// Returns text such as "f32[8,128] as [data, -] on data=2,tensor=4".
std::string to_string(const ArrayLayout& layout);

}  // namespace meshwright::runtime
