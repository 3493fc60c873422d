// SPDX-License-Identifier: Apache-2.0
// Readers of the files of checkpoints and of arrays.
#pragma once

#include <string_view>

namespace meshwright::fuzz {

void read_manifest(std::string_view bytes);
void read_axlearn_index(std::string_view bytes);
void read_zarr(std::string_view bytes);
void read_codec(std::string_view bytes);

}  // namespace meshwright::fuzz
