// SPDX-License-Identifier: Apache-2.0
// Shards: the part of an array that each device of a mesh holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/ranges.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::mesh {

using meshwright::Range;
using meshwright::runs;
using meshwright::Runs;

/// The part of an array on one device.
struct Shard {
  std::int64_t index = 0;     // row-major in the grid of shards
  std::int64_t replica = 0;   // number of this copy of the shard, in device order
  std::vector<Range> ranges;  // one per dimension of the array
  bool operator==(const Shard&) const = default;
};

/// An array split over a mesh into a grid of equal shards, each held by the same number of devices.
/// A device is given by its row-major position in the mesh.
class ShardLayout {
 public:
  /// Throws invalid_argument if the sharding does not match the mesh (see check_sharding) or has
  /// too many dimensions, or if a dimension is not divisible by its number of shards.
  ShardLayout(const Mesh& mesh, const Sharding& sharding, const Dims& dims);

  /// Returns the shape of a shard.
  const Dims& shard_dims() const { return shard_dims_; }
  /// Returns the number of shards along each dimension.
  const Dims& grid() const { return grid_; }
  std::int64_t num_devices() const { return num_shards_ * num_replicas_; }
  std::int64_t num_shards() const { return num_shards_; }
  /// Returns the number of devices that hold each shard.
  std::int64_t num_replicas() const { return num_replicas_; }

  Shard shard(std::int64_t device) const;
  /// Returns the ranges of shard `index`.
  std::vector<Range> ranges(std::int64_t index) const;
  /// Returns the device that holds this replica of a shard. Inverse of shard().
  std::int64_t device(std::int64_t index, std::int64_t replica) const;

 private:
  struct AxisRole {           // meaning of the coordinate along a mesh axis
    std::int64_t size = 1;    // size of the mesh axis
    std::int64_t stride = 1;  // in device positions
    bool splits = false;      // selects the shard; otherwise the replica
    std::int64_t weight = 1;  // in shard or replica numbers
  };

  void assign_weights(const Mesh& mesh, const Sharding& sharding);

  Dims shard_dims_;
  Dims grid_;
  std::int64_t num_shards_ = 1;
  std::int64_t num_replicas_ = 1;
  std::vector<AxisRole> roles_;  // one per mesh axis
};

/// Returns the shape of the shard on one device. Throws the errors of ShardLayout().
Dims shard_dims(const Mesh& mesh, const Sharding& sharding, const Dims& dims);

}  // namespace meshwright::mesh
