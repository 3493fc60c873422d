// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/transfer.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::runtime {
namespace {

/// Transfers a shard to a device. Keeps the shard's memory alive until the device no longer needs
/// it.
pjrt::Buffer put_part(const ClientState& client,
                      const pjrt::Device& device,
                      const HostTensor& part,
                      pjrt::HostMemory use,
                      ArrayMemory memory) {
  pjrt::Event done;
  pjrt::Buffer buffer =
      client.pjrt.buffer_from_host(part.data(), part.type(), device, use, &done,
                                   memory == ArrayMemory::device ? "" : graph::kPinnedHost);
  if (use != pjrt::HostMemory::copied_during_call) done.on_ready([part] {});
  return buffer;
}

}  // namespace

DeviceArray put(const std::shared_ptr<ClientState>& client,
                const SharedLayout& layout,
                const std::vector<pjrt::Device>& devices,
                const HostTensor& value,
                HostMemoryUse use,
                ArrayMemory memory) {
  if (layout->num_shards() > 1)
    return put_shards(
        client, layout, devices, [&](std::size_t part) { return layout->cut(value, part); },
        memory);
  const auto host_use = use == HostMemoryUse::copy ? pjrt::HostMemory::copied_during_call
                                                   : pjrt::HostMemory::shared_read_only;
  std::vector<pjrt::Buffer> buffers;
  for (const pjrt::Device& device : devices)
    buffers.push_back(put_part(*client, device, value, host_use, memory));
  return {client, layout, std::move(buffers)};
}

DeviceArray put_shards(const std::shared_ptr<ClientState>& client,
                       const SharedLayout& layout,
                       const std::vector<pjrt::Device>& devices,
                       const std::function<HostTensor(std::size_t part)>& part,
                       ArrayMemory memory) {
  // Devices must not write to memory that they share.
  const auto use = layout->num_devices() == layout->num_shards()
                       ? pjrt::HostMemory::shared_writable
                       : pjrt::HostMemory::shared_read_only;
  std::vector<HostTensor> parts(layout->num_shards());
  std::vector<pjrt::Buffer> buffers;
  for (std::size_t device = 0; device < devices.size(); ++device) {
    const std::size_t index = layout->shard_of(device);
    if (parts[index].data() == nullptr) {
      parts[index] = part(index);
      MW_CHECK(parts[index].type() == layout->shard_type(), "put: shard ", index, " of ", *layout,
               " is ", parts[index].type(), ", expected ", layout->shard_type());
    }
    buffers.push_back(put_part(*client, devices[device], parts[index], use, memory));
  }
  return {client, layout, std::move(buffers)};
}

}  // namespace meshwright::runtime
