// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

using CodecChain = std::vector<CodecPtr>;  // encodes in this order

/// Returns the encoded size of `num_bytes` bytes; nullopt if it depends on their content.
std::optional<std::uint64_t> encoded_size(const CodecChain& chain, std::uint64_t num_bytes);

/// Returns an upper bound on the decoded size of `num_stored` bytes.
std::uint64_t max_decoded_bytes(const CodecChain& chain, std::uint64_t num_stored);

/// Throws unimplemented for a chain with two compressors, since its intermediate sizes are unknown.
void check_chain(const CodecChain& chain);

Buffer encode(const CodecChain& chain, std::span<const std::byte> bytes);
/// Fills `out`. Throws data_loss unless `stored` decodes to exactly that many bytes.
void decode_into(const CodecChain& chain,
                 std::span<const std::byte> stored,
                 std::span<std::byte> out);
/// Decodes a chain without a compressor, where the stored size determines the decoded size.
Buffer decode(const CodecChain& chain, Buffer stored);

}  // namespace meshwright::io
