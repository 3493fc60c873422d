// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/contents.h"

#include <cstring>

namespace meshwright::checkpoint {

Tree<ArrayParts> snapshot(const Tree<runtime::DeviceArray>& arrays) {
  return map(arrays, [](const runtime::DeviceArray& array) {
    const runtime::ArrayLayout& layout = array.layout();
    ArrayParts out{array.type(), {}};
    for (std::size_t i = 0; i < layout.num_shards(); ++i)
      out.parts.push_back({layout.ranges(i), array.shard_to_host(layout.device_of(i))});
    return out;
  });
}

HostTensor assemble(const ArrayParts& array) {
  if (array.parts.size() == 1) return array.parts[0].value;
  HostTensor out(array.type);
  const std::size_t element = byte_size(array.type.dtype);
  for (const Part& part : array.parts) {
    const mesh::Runs runs = mesh::runs(array.type.dims, part.ranges);
    const std::size_t length = static_cast<std::size_t>(runs.length) * element;
    const std::byte* from = part.value.data();
    for (std::int64_t offset : runs.offsets) {
      std::memcpy(out.mutable_data() + static_cast<std::size_t>(offset) * element, from, length);
      from += length;
    }
  }
  return out;
}

}  // namespace meshwright::checkpoint
