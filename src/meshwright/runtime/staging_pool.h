// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace meshwright::runtime {

/// A pool of host memory with a size limit. Reuses blocks, so that the next snapshot gets the
/// memory of the previous one. Thread-safe.
class StagingPool {
 public:
  explicit StagingPool(std::uint64_t max_bytes);

  /// Returns memory aligned to 64 bytes, or nullptr if the pool is full. The memory returns to the
  /// pool when the last copy of the pointer is destroyed; the pointer may outlive the pool.
  std::shared_ptr<std::byte> try_take(std::size_t num_bytes);
  /// Like try_take(), but waits for space. A block larger than the whole pool is allocated once no
  /// other block is in use, and is not kept.
  std::shared_ptr<std::byte> take(std::size_t num_bytes);

  std::uint64_t max_bytes() const;
  /// Return the number of bytes currently allocated, in use or not, and its maximum so far.
  std::uint64_t num_bytes() const;
  std::uint64_t peak_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace meshwright::runtime
