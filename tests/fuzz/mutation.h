// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace meshwright::fuzz {

/// Mutates known inputs. Deterministic for a seed.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// Returns one of the inputs after 1 to 8 changes; at most 4 KiB.
  std::string mutated(std::span<const std::string> inputs);

 private:
  void change(std::string& bytes, std::span<const std::string> inputs);
  std::size_t below(std::size_t limit);

  std::mt19937_64 random_;
};

}  // namespace meshwright::fuzz
