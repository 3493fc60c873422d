// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/snapshot_pieces.h"

#include <utility>

namespace meshwright::runtime {
namespace {

// Returns the number of replicas that can each contribute an equal number of adjacent elements.
std::size_t num_shares(const ArrayLayout& layout) {
  const Dims& dims = layout.shard_type().dims;
  if (dims.empty() || dims[0] == 0) return 1;
  const std::size_t num_replicas = layout.num_replicas();
  return static_cast<std::size_t>(dims[0]) % num_replicas == 0 ? num_replicas : 1;
}

void add_pieces(std::size_t number,
                const SharedState& array,
                const SnapshotOptions& options,
                SnapshotPieces& out) {
  const ArrayLayout& layout = *array->layout;
  const bool readable = is_readable(*array, options);
  // Arrays that the host cannot read are copied as whole shards; replicas then take turns.
  const std::size_t num = options.replica_parallel && readable ? num_shares(layout) : 1;
  const std::size_t turn = options.replica_parallel && !readable ? number : 0;
  ArrayType type = layout.shard_type();
  if (num > 1) type.dims[0] /= static_cast<std::int64_t>(num);
  for (std::size_t i = 0; i < layout.num_shards() * num; ++i) {
    const std::size_t shard = i / num;
    const std::size_t share = i % num;
    Ranges ranges = layout.ranges(shard);
    if (num > 1) {
      ranges[0].start += static_cast<std::int64_t>(share) * type.dims[0];
      ranges[0].stop = ranges[0].start + type.dims[0];
    }
    const std::size_t replica = (share + turn) % layout.num_replicas();
    const std::size_t offset = share * static_cast<std::size_t>(type.num_bytes());
    (readable ? out.readable : out.others)
        .push_back(
            {number, array, layout.device_of(shard, replica), std::move(ranges), type, offset});
  }
}

}  // namespace

// 4-bit elements may be packed on a device. The plugin unpacks them when it copies.
bool is_readable(const DeviceArrayAccess::State& array, const SnapshotOptions& options) {
  const DType dtype = array.layout->type().dtype;
  return options.reads_in_place && dtype != DType::s4 && dtype != DType::u4 &&
         array.buffers[0].is_on_cpu();
}

SnapshotPieces snapshot_pieces(const std::vector<SharedState>& arrays,
                               const SnapshotOptions& options) {
  SnapshotPieces out;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    add_pieces(i, arrays[i], options, out);
  return out;
}

}  // namespace meshwright::runtime
