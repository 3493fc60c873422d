// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace meshwright::runtime {

/// Host memory of a limited size that is used again and again: what one snapshot gives back, the
/// next takes at the same place. Any thread may use it.
class StagingPool {
 public:
  explicit StagingPool(std::uint64_t max_bytes);

  /// Memory aligned to 64 bytes, which gives itself back when the last copy of the pointer goes,
  /// even after the pool. nullptr: there is no room.
  std::shared_ptr<std::byte> try_take(std::size_t num_bytes);
  /// The same; waits for room. What is larger than the whole pool is given once nothing else is in
  /// use, and not kept.
  std::shared_ptr<std::byte> take(std::size_t num_bytes);

  std::uint64_t max_bytes() const;
  /// Held from the system now, in use or not, and the most so far.
  std::uint64_t num_bytes() const;
  std::uint64_t peak_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace meshwright::runtime
