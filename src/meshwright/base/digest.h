// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace meshwright {

/// XXH3 of bytes that come in pieces, 128 bits: as fast as memory. Contents that differ by accident
/// have different digests; it is no protection against somebody who looks for two with the same.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void update(std::string_view bytes);
  /// Of what came so far, as 32 hexadecimal digits.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest_hex(std::string_view bytes);

}  // namespace meshwright
