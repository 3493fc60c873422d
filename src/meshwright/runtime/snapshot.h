// SPDX-License-Identifier: Apache-2.0
// Snapshots: consistent copies of array values that can be read later, while training continues.
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
  /// If true, snapshot() copies nothing and holds all arrays on the devices until they are read.
  bool hold = false;
  /// If true, reads an equal share of each array from each replica. An array that cannot be divided
  /// is read entirely from the first replica.
  bool replica_parallel = false;
  /// Maximum number of threads that copy.
  int max_threads = 8;
  /// If false, simulates devices whose memory the host cannot read. For tests.
  bool reads_in_place = true;
};

/// A part of an array at the time of the snapshot.
class SnapshotPart {
 public:
  /// The part either has its `value`, or take() obtains it with `read`, which may take a long time.
  SnapshotPart(std::size_t array, Ranges ranges, HostTensor value)
      : array_(array), ranges_(std::move(ranges)), value_(std::move(value)) {}
  SnapshotPart(std::size_t array, Ranges ranges, std::function<HostTensor()> read)
      : array_(array), ranges_(std::move(ranges)), read_(std::move(read)) {}

  /// Returns the index of the array.
  std::size_t array() const { return array_; }
  const Ranges& ranges() const { return ranges_; }
  /// True if take() reads from a device and waits for space in the pool. A consumer of several such
  /// parts must be able to release those it already has while it waits for the next one.
  bool is_read_later() const { return read_ != nullptr; }
  /// Returns the elements. Call this only once. Destroying the last copy of the result frees the
  /// elements or, if the array is held, releases the array. Throws device if reading them fails.
  HostTensor take() { return read_ ? std::exchange(read_, nullptr)() : std::move(value_); }

 private:
  std::size_t array_;
  Ranges ranges_;
  HostTensor value_;
  std::function<HostTensor()> read_;
};

struct Snapshot {
  /// The parts, in the order in which they should be read to release arrays early.
  std::vector<SnapshotPart> parts;
  /// Shape of the parts of each array.
  std::vector<Dims> part_dims;
  /// Ready once no array is held any longer. Only then may the arrays be donated.
  std::shared_future<void> released;
  std::uint64_t num_bytes = 0;
  /// Number of bytes in parts that have not been copied yet.
  std::uint64_t num_held_bytes = 0;
};

/// Waits for the values and copies as many bytes as fit in the pool; the rest is held on the
/// devices. Throws device if computing a value failed, and invalid_argument if an array has been
/// donated.
Snapshot snapshot(const std::vector<DeviceArray>& arrays,
                  StagingPool& pool,
                  const SnapshotOptions& options = {});

}  // namespace meshwright::runtime
