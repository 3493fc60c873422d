// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/documents/documents.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

struct ByteFile {
  std::string name;
  std::shared_ptr<const io::ReadableFile> file;
  std::string fingerprint;  // differs if the content does
};

/// Number of tokens of a byte: its values.
inline constexpr std::int32_t kNumByteTokens = 256;

/// Returns each file as a document whose tokens are its bytes. Nothing is kept in memory.
DocumentsPtr byte_files(std::vector<ByteFile> files);

}  // namespace meshwright::data
