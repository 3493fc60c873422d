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

/// Throws unimplemented for a chain whose sizes on the way cannot be known: two compressors.
void check_chain(const CodecChain& chain);

Buffer encode(const CodecChain& chain, std::span<const std::byte> bytes);
/// Throws data_loss unless there are `num_bytes`, or any number if that is absent and the chain
/// has no compressor.
Buffer decode(const CodecChain& chain, Buffer stored, std::optional<std::uint64_t> num_bytes);

}  // namespace meshwright::io
