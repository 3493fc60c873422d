// SPDX-License-Identifier: Apache-2.0
// Which part of an array each device of a mesh holds.
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

/// The part of an array that one device holds.
struct Shard {
  std::int64_t index = 0;     // which part, row-major in the grid of parts
  std::int64_t replica = 0;   // which copy of that part, counted in the order of devices
  std::vector<Range> ranges;  // one per dimension of the array
  bool operator==(const Shard&) const = default;
};

/// An array cut over a mesh into a grid of equal parts, each held by equally many devices. Devices
/// are positions in the mesh, row-major.
class ShardLayout {
 public:
  /// Throws invalid_argument if the sharding does not suit the mesh (see check_sharding), is for
  /// more dimensions than there are, or a dimension is not a multiple of its number of parts.
  ShardLayout(const Mesh& mesh, const Sharding& sharding, const Dims& dims);

  /// Sizes of one part; all parts are equal.
  const Dims& shard_dims() const { return shard_dims_; }
  /// The number of parts along each dimension.
  const Dims& grid() const { return grid_; }
  std::int64_t num_devices() const { return num_shards_ * num_replicas_; }
  std::int64_t num_shards() const { return num_shards_; }
  /// How many devices hold each part.
  std::int64_t num_replicas() const { return num_replicas_; }

  Shard shard(std::int64_t device) const;
  /// What part number `index` covers.
  std::vector<Range> ranges(std::int64_t index) const;
  /// The device that holds this copy of this part; the inverse of shard().
  std::int64_t device(std::int64_t index, std::int64_t replica) const;

 private:
  struct AxisRole {           // what the coordinate along one mesh axis means
    std::int64_t size = 1;    // of the mesh axis
    std::int64_t stride = 1;  // in device positions
    bool splits = false;      // counts parts; otherwise replicas
    std::int64_t weight = 1;  // in part or replica numbers
  };

  void assign_weights(const Mesh& mesh, const Sharding& sharding);

  Dims shard_dims_;
  Dims grid_;
  std::int64_t num_shards_ = 1;
  std::int64_t num_replicas_ = 1;
  std::vector<AxisRole> roles_;  // one per mesh axis
};

/// Sizes of the part that one device holds. Throws as ShardLayout does.
Dims shard_dims(const Mesh& mesh, const Sharding& sharding, const Dims& dims);

}  // namespace meshwright::mesh
