// SPDX-License-Identifier: Apache-2.0
// Readers of the files of other systems' checkpoints. Where a file has a checksum, the target adds
// a valid one to its input.
#pragma once

#include <string_view>

namespace meshwright::fuzz {

void read_ocdbt_manifest(std::string_view bytes);
void read_ocdbt_node(std::string_view bytes);
void read_msgpack(std::string_view bytes);
void read_npz(std::string_view bytes);
void read_safetensors(std::string_view bytes);
void read_tensor_bundle(std::string_view bytes);

}  // namespace meshwright::fuzz
