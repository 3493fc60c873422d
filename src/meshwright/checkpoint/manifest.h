// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents.h"

namespace meshwright::checkpoint {

struct PartEntry {
  std::string file;  // a name in the checkpoint's folder
  std::vector<mesh::Range> ranges;
  std::uint32_t crc = 0;  // CRC-32C of the file
};

struct ArrayEntry {
  ArrayType type;
  std::vector<PartEntry> parts;
};

struct Manifest {
  std::int64_t step = 0;
  Meta meta;
  Tree<ArrayEntry> arrays;
};

/// Lines of fields between tabs; the last is a CRC-32C of the others.
std::string write_manifest(const Manifest& manifest);
/// Throws data_loss, naming `name` and the line, unless this is what write_manifest gives: parts
/// lie within their arrays, do not overlap and leave nothing out, and files are plain names.
Manifest parse_manifest(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
