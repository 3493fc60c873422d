// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/: transfers from host memory to devices.
#pragma once

#include <functional>
#include <vector>

#include "meshwright/runtime/client_state.h"
#include "meshwright/runtime/device_array.h"

namespace meshwright::runtime {

/// The memory in which an array lies.
enum class ArrayMemory { device, pinned_host };

/// Creates an array with this layout on `devices`, in the order of the layout's mesh.
DeviceArray put(const std::shared_ptr<ClientState>& client,
                const SharedLayout& layout,
                const std::vector<pjrt::Device>& devices,
                const HostTensor& value,
                HostMemoryUse use,
                ArrayMemory memory = ArrayMemory::device);

/// Creates an array from its shards. See Client::put_shards.
DeviceArray put_shards(const std::shared_ptr<ClientState>& client,
                       const SharedLayout& layout,
                       const std::vector<pjrt::Device>& devices,
                       const std::function<HostTensor(std::size_t part)>& part,
                       ArrayMemory memory = ArrayMemory::device);

}  // namespace meshwright::runtime
