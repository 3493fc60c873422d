// SPDX-License-Identifier: Apache-2.0
// Snapshots: consistent values of arrays that can be read later, while training continues.
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
  /// Copy nothing now: hold all arrays on the devices until they are read.
  bool hold = false;
  /// Read an equal share of an array from each replica, if it can be divided; otherwise all of it
  /// from the first replica.
  bool replica_parallel = false;
  /// Number of copying threads.
  int max_threads = 8;
  /// False simulates devices whose memory the host cannot read. For tests.
  bool reads_in_place = true;
};

/// A part of an array at the time of the snapshot.
class SnapshotPart {
 public:
  /// The part either has its `value`, or take() obtains it with `read`, which may take long.
  SnapshotPart(std::size_t array, Ranges ranges, HostTensor value)
      : array_(array), ranges_(std::move(ranges)), value_(std::move(value)) {}
  SnapshotPart(std::size_t array, Ranges ranges, std::function<HostTensor()> read)
      : array_(array), ranges_(std::move(ranges)), read_(std::move(read)) {}

  /// Returns the index of the array.
  std::size_t array() const { return array_; }
  const Ranges& ranges() const { return ranges_; }
  /// True if take() reads from a device and waits for space in the pool. A consumer of several such
  /// parts must be able to release those it has while it waits for the next.
  bool is_read_later() const { return read_ != nullptr; }
  /// Returns the elements. Call it once. The last copy of the result releases them, or the held
  /// array. Throws device if reading them fails.
  HostTensor take() { return read_ ? std::exchange(read_, nullptr)() : std::move(value_); }

 private:
  std::size_t array_;
  Ranges ranges_;
  HostTensor value_;
  std::function<HostTensor()> read_;
};

struct Snapshot {
  /// In the order in which they should be read to release arrays early.
  std::vector<SnapshotPart> parts;
  /// Shape of the parts of each array.
  std::vector<Dims> part_dims;
  /// Ready once no array is held any more. Only then may the arrays be donated.
  std::shared_future<void> released;
  std::uint64_t num_bytes = 0;
  /// Bytes of parts that are not copied yet.
  std::uint64_t num_held_bytes = 0;
};

/// Waits for the values and copies as many bytes as fit into the pool; the rest is held on the
/// devices. Throws device if computing a value failed, invalid_argument if an array was donated.
Snapshot snapshot(const std::vector<DeviceArray>& arrays,
                  StagingPool& pool,
                  const SnapshotOptions& options = {});

}  // namespace meshwright::runtime
