// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

using CodecChain = std::vector<CodecPtr>;  // the first encodes first

/// How many bytes the chain makes of so many, if that is always the same.
std::optional<std::uint64_t> encoded_size(const CodecChain& chain, std::uint64_t num_bytes);

/// No fewer bytes than so many stored ones can hold.
std::uint64_t max_decoded_bytes(const CodecChain& chain, std::uint64_t num_stored);

/// Throws unimplemented for a chain whose sizes on the way cannot be known: two compressors.
void check_chain(const CodecChain& chain);

Buffer encode(const CodecChain& chain, std::span<const std::byte> bytes);
/// Fills `out`. Throws data_loss unless so many bytes were encoded.
void decode_into(const CodecChain& chain,
                 std::span<const std::byte> stored,
                 std::span<std::byte> out);
/// Of a chain without a compressor: as many bytes as there are.
Buffer decode(const CodecChain& chain, Buffer stored);

}  // namespace meshwright::io
