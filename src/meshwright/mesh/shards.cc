// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/shards.h"

#include <cassert>

#include "meshwright/base/check.h"

namespace meshwright::mesh {
namespace {

void check_divides(const Mesh& mesh,
                   const Sharding& sharding,
                   const Dims& dims,
                   std::size_t i,
                   std::int64_t parts) {
  if (dims[i] % parts == 0) return;
  std::string axes;
  for (const std::string& axis : sharding.dims[i])
    axes += str(axes.empty() ? "" : ",", axis, "=", mesh.axis_size(axis));
  fail(ErrorCode::invalid_argument, "sharding ", sharding, " of an array ", dims, ": dimension ", i,
       " is ", dims[i], ", which is not divisible into ", parts, " equal parts over mesh axes ",
       axes, "\npad the dimension or use fewer mesh axes");
}

}  // namespace

ShardLayout::ShardLayout(const Mesh& mesh, const Sharding& sharding, const Dims& dims)
    : shard_dims_(dims), grid_(dims.size(), 1) {
  check_sharding(mesh, sharding);
  MW_CHECK(sharding.dims.size() <= dims.size(), "sharding ", sharding, " has more dimensions ",
           "than the array ", dims, "\nwrite at most one entry per dimension");
  for (std::size_t i = 0; i < sharding.dims.size(); ++i) {
    grid_[i] = num_shards_along(mesh, sharding.dims[i]);
    check_divides(mesh, sharding, dims, i, grid_[i]);
    shard_dims_[i] = dims[i] / grid_[i];
  }
  assign_weights(mesh, sharding);
}

void ShardLayout::assign_weights(const Mesh& mesh, const Sharding& sharding) {
  std::int64_t stride = mesh.num_devices();
  for (const MeshAxis& axis : mesh.axes()) {
    stride /= axis.size;
    roles_.push_back({.size = axis.size, .stride = stride});
  }
  // Minor to major: the last axis of the last dimension has weight 1.
  for (std::size_t i = sharding.dims.size(); i-- > 0;) {
    const std::vector<std::string>& axes = sharding.dims[i];
    for (std::size_t j = axes.size(); j-- > 0;) {
      AxisRole& role = roles_[static_cast<std::size_t>(mesh.axis_index(axes[j]))];
      role.splits = true;
      role.weight = num_shards_;
      num_shards_ *= role.size;
    }
  }
  for (std::size_t i = roles_.size(); i-- > 0;) {
    if (roles_[i].splits) continue;
    roles_[i].weight = num_replicas_;
    num_replicas_ *= roles_[i].size;
  }
}

Shard ShardLayout::shard(std::int64_t device) const {
  MW_CHECK(device >= 0 && device < num_devices(), "no device ", device, ": the mesh has ",
           num_devices());
  Shard out;
  for (const AxisRole& role : roles_) {
    std::int64_t coordinate = device / role.stride % role.size;
    (role.splits ? out.index : out.replica) += coordinate * role.weight;
  }
  out.ranges = ranges(out.index);
  return out;
}

std::vector<Range> ShardLayout::ranges(std::int64_t index) const {
  MW_CHECK(index >= 0 && index < num_shards_, "no shard ", index, ": there are ", num_shards_);
  std::vector<Range> out(grid_.size());
  for (std::size_t i = grid_.size(); i-- > 0;) {
    std::int64_t start = index % grid_[i] * shard_dims_[i];
    out[i] = {start, start + shard_dims_[i]};
    index /= grid_[i];
  }
  return out;
}

std::int64_t ShardLayout::device(std::int64_t index, std::int64_t replica) const {
  MW_CHECK(index >= 0 && index < num_shards_ && replica >= 0 && replica < num_replicas_, "no copy ",
           replica, " of shard ", index, ": there are ", num_replicas_, " copies of ", num_shards_,
           " shards");
  std::int64_t out = 0;
  for (const AxisRole& role : roles_) {
    std::int64_t coordinate = (role.splits ? index : replica) / role.weight % role.size;
    out += coordinate * role.stride;
  }
  return out;
}

Dims shard_dims(const Mesh& mesh, const Sharding& sharding, const Dims& dims) {
  return ShardLayout(mesh, sharding, dims).shard_dims();
}

}  // namespace meshwright::mesh
