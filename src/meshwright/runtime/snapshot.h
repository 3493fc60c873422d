// SPDX-License-Identifier: Apache-2.0
// Values of arrays as they are now, for those who read them later while training goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <utility>
#include <vector>

#include "meshwright/runtime/device_array.h"
#include "meshwright/runtime/staging_pool.h"
#include "meshwright/tensor/host_tensor.h"
#include "meshwright/tensor/ranges.h"

namespace meshwright::runtime {

struct SnapshotOptions {
  /// Copy nothing now: all arrays are held on the devices until they are read.
  bool hold = false;
  /// Read each replica's share of an array from that replica, where it can be divided; else all of
  /// it from the first.
  bool replica_parallel = false;
  /// That copy.
  int max_threads = 8;
  /// False: as on devices whose memory the host cannot read; for tests.
  bool reads_in_place = true;
};

/// A part of an array, as it was.
class SnapshotPart {
 public:
  /// `value` is there, or is got by `read` when it is taken, which may take long.
  SnapshotPart(std::size_t array, Ranges ranges, HostTensor value)
      : array_(array), ranges_(std::move(ranges)), value_(std::move(value)) {}
  SnapshotPart(std::size_t array, Ranges ranges, std::function<HostTensor()> read)
      : array_(array), ranges_(std::move(ranges)), read_(std::move(read)) {}

  /// The number of the array.
  std::size_t array() const { return array_; }
  const Ranges& ranges() const { return ranges_; }
  /// Whether taking it means reading it from a device and waiting for room in the pool. Who takes
  /// several such parts must be able to let go of those taken while it waits for the next.
  bool is_read_later() const { return read_ != nullptr; }
  /// The elements, once; they, or the array, are given back when the last copy goes. Throws device.
  HostTensor take() { return read_ ? std::exchange(read_, nullptr)() : std::move(value_); }

 private:
  std::size_t array_;
  Ranges ranges_;
  HostTensor value_;
  std::function<HostTensor()> read_;
};

struct Snapshot {
  /// In the order in which they are to be read, so that arrays are let go early.
  std::vector<SnapshotPart> parts;
  /// Of each array, the sizes of its parts.
  std::vector<Dims> part_dims;
  /// Ready once no array is held any more: then all of them may be donated, and not before.
  std::shared_future<void> released;
  std::uint64_t num_bytes = 0;
  /// Of those that are not copied yet.
  std::uint64_t num_held_bytes = 0;
};

/// Waits for the values and copies as many bytes as the pool has room for; the rest is held where
/// it is. Throws device if computing a value failed, invalid_argument if one was donated.
Snapshot snapshot(const std::vector<DeviceArray>& arrays,
                  StagingPool& pool,
                  const SnapshotOptions& options = {});

}  // namespace meshwright::runtime
