// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/array_layout.h"

#include <cstring>

#include "meshwright/base/check.h"

namespace meshwright::runtime {
namespace {

mesh::ShardLayout shards_of(const std::string& what,
                            const ArrayType& type,
                            const mesh::Mesh& mesh,
                            const mesh::Sharding& sharding) {
  try {
    return {mesh, sharding, type.dims};
  } catch (const Error& error) {
    throw error.with_context(what);
  }
}

}  // namespace

ArrayLayout::ArrayLayout(const std::string& what,
                         ArrayType type,
                         mesh::Mesh mesh,
                         mesh::Sharding sharding)
    : type_(std::move(type)),
      mesh_(std::move(mesh)),
      sharding_(std::move(sharding)),
      shards_(shards_of(what, type_, mesh_, sharding_)),
      shard_type_{type_.dtype, shards_.shard_dims()} {
  for (std::int64_t device = 0; device < shards_.num_devices(); ++device)
    shard_of_device_.push_back(static_cast<std::size_t>(shards_.shard(device).index));
}

std::size_t ArrayLayout::device_of(std::size_t shard, std::size_t replica) const {
  return static_cast<std::size_t>(
      shards_.device(static_cast<std::int64_t>(shard), static_cast<std::int64_t>(replica)));
}

std::vector<mesh::Range> ArrayLayout::ranges(std::size_t shard) const {
  return shards_.ranges(static_cast<std::int64_t>(shard));
}

mesh::Runs ArrayLayout::runs(std::size_t shard) const {
  return mesh::runs(type_.dims, ranges(shard));
}

HostTensor ArrayLayout::cut(const HostTensor& whole, std::size_t shard) const {
  if (num_shards() == 1) return whole;
  HostTensor part(shard_type_);
  mesh::Runs runs = this->runs(shard);
  std::size_t element = byte_size(type_.dtype);
  std::size_t run_bytes = static_cast<std::size_t>(runs.length) * element;
  std::byte* to = part.mutable_data();
  for (std::int64_t offset : runs.offsets) {
    std::memcpy(to, whole.data() + static_cast<std::size_t>(offset) * element, run_bytes);
    to += run_bytes;
  }
  return part;
}

void ArrayLayout::paste(HostTensor& whole, std::size_t shard, const HostTensor& part) const {
  mesh::Runs runs = this->runs(shard);
  std::size_t element = byte_size(type_.dtype);
  std::size_t run_bytes = static_cast<std::size_t>(runs.length) * element;
  const std::byte* from = part.data();
  for (std::int64_t offset : runs.offsets) {
    std::memcpy(whole.mutable_data() + static_cast<std::size_t>(offset) * element, from, run_bytes);
    from += run_bytes;
  }
}

bool ArrayLayout::operator==(const ArrayLayout& other) const {
  return this == &other || (type_ == other.type_ && shard_type_ == other.shard_type_ &&
                            shard_of_device_ == other.shard_of_device_);
}

std::string to_string(const ArrayLayout& layout) {
  return str(layout.type(), " as ", layout.sharding(), " on ", layout.mesh());
}

}  // namespace meshwright::runtime
