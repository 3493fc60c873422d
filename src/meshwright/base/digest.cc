// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/digest.h"

#define XXH_INLINE_ALL  // header only, nothing to link
#include <xxhash.h>

#include "meshwright/base/hex.h"

namespace meshwright {

struct Digest::State {
  XXH3_state_t xxh3;
};

Digest::Digest() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh3);
}

Digest::~Digest() = default;

void Digest::update(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->xxh3));
  return meshwright::hex(canonical.digest);
}

// The state of both hashes is the same.
std::uint64_t Digest::hash64() const {
  return XXH3_64bits_digest(&state_->xxh3);
}

std::string digest_hex(std::string_view bytes) {
  Digest digest;
  digest.update(bytes);
  return digest.hex();
}

std::uint64_t digest64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace meshwright
