// SPDX-License-Identifier: Apache-2.0
// What of arrays on devices a snapshot takes, and from which replica.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "meshwright/runtime/device_array_state.h"
#include "meshwright/runtime/snapshot.h"

namespace meshwright::runtime {

using SharedState = std::shared_ptr<DeviceArrayAccess::State>;

/// The elements of a part: adjacent ones in a buffer.
struct SnapshotPiece {
  std::size_t array;
  SharedState owner;
  std::size_t device;
  Ranges ranges;
  ArrayType type;
  std::size_t offset;  // in bytes

  std::size_t num_bytes() const { return static_cast<std::size_t>(type.num_bytes()); }
  const pjrt::Buffer& buffer() const { return owner->buffers[device]; }
};

struct SnapshotPieces {
  std::vector<SnapshotPiece> readable, others;  // by the host
};

/// Whether the host can read its elements where they are.
bool is_readable(const DeviceArrayAccess::State& array, const SnapshotOptions& options);

/// Every element of each array once.
SnapshotPieces snapshot_pieces(const std::vector<SharedState>& arrays,
                               const SnapshotOptions& options);

}  // namespace meshwright::runtime
