// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/json_value.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {

/// Returns the codec with this name in zarr metadata, for elements of `element_bytes` bytes.
/// `settings` may be nullptr. Throws unimplemented for an unsupported codec, and data_loss or
/// invalid_argument for invalid settings.
CodecPtr named_codec(std::string_view name, const JsonValue* settings, std::size_t element_bytes);

}  // namespace meshwright::io
