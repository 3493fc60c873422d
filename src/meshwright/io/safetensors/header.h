// SPDX-License-Identifier: Apache-2.0
// Files in the safetensors format: a header in JSON, then the elements of all arrays.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "meshwright/io/file_region.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io {

struct SafetensorsArray {
  ArrayType type;
  FileRange place;  // in the file; row-major and little-endian
};

struct Safetensors {
  std::map<std::string, SafetensorsArray> arrays;
  std::map<std::string, std::string> metadata;
};

/// Reads the header. Throws data_loss, naming `name` and the array, unless the arrays fill the rest
/// of the file without gaps and overlaps, and unimplemented for dtypes that arrays of a model
/// cannot have.
Safetensors read_safetensors(const ReadableFile& file, const std::string& name);

/// The arrays of a new file, in order, and its header.
struct SafetensorsPlan {
  std::string header;  // all bytes before the elements
  std::map<std::string, FileRange> places;
  std::uint64_t num_bytes = 0;  // of the file
};
/// Plans a file. Larger elements come first, as readers expect for alignment. Throws unimplemented
/// for dtypes that the format lacks.
SafetensorsPlan plan_safetensors(const std::map<std::string, ArrayType>& arrays,
                                 const std::map<std::string, std::string>& metadata);

}  // namespace meshwright::io
