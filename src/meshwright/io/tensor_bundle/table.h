// SPDX-License-Identifier: Apache-2.0
// Internal to tensor_bundle/: tables of LevelDB, as in the index of a bundle.
#pragma once

#include <map>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Reads a whole table. Throws data_loss, naming the file, if it is damaged, and unimplemented for
/// compression other than Snappy.
std::map<std::string, std::string> read_table(const FileSystem& files, const std::string& path);

/// Removes the mask that LevelDB and TensorFlow put on checksums that they store.
inline std::uint32_t unmasked_crc(std::uint32_t masked) {
  const std::uint32_t rotated = masked - 0xa282ead8U;
  return rotated >> 17 | rotated << 15;
}

}  // namespace meshwright::io
