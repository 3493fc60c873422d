// SPDX-License-Identifier: Apache-2.0
// Internal to ocdbt/: the frame around manifests and nodes, with their lengths and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::io::ocdbt {

enum class Block : std::uint32_t { manifest = 0x0cdb3a2a, node = 0x0cdb20de };

/// Returns the content. Throws data_loss, naming `name`, if the bytes are damaged or decode to more
/// than `max_bytes`, and unimplemented for a later version of the format.
std::string open_envelope(Block block,
                          std::string_view bytes,
                          std::uint64_t max_bytes,
                          const std::string& name);

/// Frames content, uncompressed.
std::string close_envelope(Block block, std::string_view content);

}  // namespace meshwright::io::ocdbt
