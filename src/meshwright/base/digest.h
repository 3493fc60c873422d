// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace meshwright {

/// 128-bit XXH3 hash of bytes that arrive in pieces. It runs at memory speed and detects accidental
/// differences, but is not cryptographic: collisions can be constructed.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void update(std::string_view bytes);
  /// Returns the hash of the bytes so far as 32 hexadecimal digits.
  std::string hex() const;
  /// Returns digest64() of the bytes so far.
  std::uint64_t hash64() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest_hex(std::string_view bytes);
/// Returns the 64-bit XXH3 hash.
std::uint64_t digest64(std::string_view bytes);

}  // namespace meshwright
