// SPDX-License-Identifier: Apache-2.0
// Reads stored arrays directly onto devices.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/runtime/client.h"

namespace meshwright::checkpoint {

/// Destination of an array.
struct Destination {
  runtime::SharedLayout layout;
  /// Creates the device array from its parts, like Client::put_shards().
  std::function<runtime::DeviceArray(const std::function<HostTensor(std::size_t part)>& part)> put;
};

/// Reads every part once, even if several devices hold it, and only the stored chunks that it
/// touches. The sharding may differ from the one the arrays were saved with. Devices that can use
/// host memory keep the buffers that were read; for other devices, arrays of at most
/// options.max_bytes in total, or a single larger one, wait to be transferred. Throws if reading
/// fails, and throws invalid_argument if a type differs from its destination's.
std::vector<runtime::DeviceArray> restore_arrays(const std::vector<StoredArray>& arrays,
                                                 const std::vector<Destination>& destinations,
                                                 const ReadOptions& options = {});

/// Like restore_arrays() above, onto the first devices of a client.
Tree<runtime::DeviceArray> restore_arrays(const Tree<StoredArray>& arrays,
                                          const runtime::Client& client,
                                          const mesh::Mesh& mesh,
                                          const Tree<mesh::Sharding>& shardings,
                                          const ReadOptions& options = {});

}  // namespace meshwright::checkpoint
