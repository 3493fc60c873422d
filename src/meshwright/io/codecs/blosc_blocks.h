// SPDX-License-Identifier: Apache-2.0
// Internal to codecs/.
#pragma once

#include <memory>

#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

/// Opens a file that holds one buffer compressed by blosc.
std::unique_ptr<const EncodedBlocks> open_blosc_blocks(const ReadableFile& file);

}  // namespace meshwright::io
