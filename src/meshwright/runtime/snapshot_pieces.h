// SPDX-License-Identifier: Apache-2.0
// The parts of arrays that a snapshot reads, and the replica from which it reads each.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "meshwright/runtime/device_array_state.h"
#include "meshwright/runtime/snapshot.h"

namespace meshwright::runtime {

using SharedState = std::shared_ptr<DeviceArrayAccess::State>;

/// The elements of a part, which are adjacent in a buffer.
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
  std::vector<SnapshotPiece> readable, others;  // the host can read `readable` directly
};

/// True if the host can read the elements in place.
bool is_readable(const DeviceArrayAccess::State& array, const SnapshotOptions& options);

/// Returns pieces that cover every element of each array exactly once.
SnapshotPieces snapshot_pieces(const std::vector<SharedState>& arrays,
                               const SnapshotOptions& options);

}  // namespace meshwright::runtime
