// SPDX-License-Identifier: Apache-2.0
// Stored arrays straight onto devices.
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

/// Where an array goes.
struct Destination {
  runtime::SharedLayout layout;
  /// Puts it there by its parts, as Client::put_parts does.
  std::function<runtime::DeviceArray(const std::function<HostTensor(std::size_t part)>& part)> put;
};

/// Reads every part once, whichever devices hold it, and only the stored pieces that it touches.
/// However the arrays were cut when they were saved, they may lie otherwise now. Where devices can
/// use host memory, what is read is what they have; where they cannot, arrays of at most
/// options.max_bytes, but at least one, wait to be copied there.
/// Throws as reading does; invalid_argument where a type is not that of its destination.
std::vector<runtime::DeviceArray> restore_arrays(const std::vector<StoredArray>& arrays,
                                                 const std::vector<Destination>& destinations,
                                                 const ReadOptions& options = {});

/// The same onto the first devices of a client.
Tree<runtime::DeviceArray> restore_arrays(const Tree<StoredArray>& arrays,
                                          const runtime::Client& client,
                                          const mesh::Mesh& mesh,
                                          const Tree<mesh::Sharding>& shardings,
                                          const ReadOptions& options = {});

}  // namespace meshwright::checkpoint
