// SPDX-License-Identifier: Apache-2.0
// Appends MessagePack values as flax does, for small files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::io {

/// Begins a map of `size` members, each a text followed by a value.
void append_msgpack_map(std::string& out, std::size_t size);
void append_msgpack_list(std::string& out, std::size_t size);
void append_msgpack_text(std::string& out, std::string_view text);
void append_msgpack_integer(std::string& out, std::int64_t value);
void append_msgpack_nil(std::string& out);
/// Appends an array of less than 2^30 bytes.
void append_msgpack_array(std::string& out, const HostTensor& array);

}  // namespace meshwright::io
