// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/json_value.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

/// The compressor that zarr's metadata calls `name`, with its settings (nullptr: none given), for
/// elements of this size. Throws unimplemented for one that is not supported, data_loss or
/// invalid_argument for settings that make no sense.
CodecPtr named_codec(std::string_view name, const JsonValue* settings, std::size_t element_bytes);

}  // namespace meshwright::io
