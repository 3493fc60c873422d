// SPDX-License-Identifier: Apache-2.0
// Checkpoints of TensorFlow: an index, PREFIX.index, and files of elements,
// PREFIX.data-00000-of-00001.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/io/file_region.h"
#include "meshwright/tensor/ranges.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::io {

/// Adjacent elements of a tensor in a file, row-major and little-endian.
struct BundlePiece {
  Ranges ranges;     // the part of the tensor
  std::string file;  // relative to the root of the files
  FileRange place;
  std::uint32_t crc = 0;  // CRC-32C of all its bytes
};

struct BundleTensor {
  ArrayType type;
  std::vector<BundlePiece> pieces;  // cover every element once
};

struct Bundle {
  std::map<std::string, BundleTensor> tensors;
  /// TensorFlow's numbers of dtypes that are not supported, by name of the tensor.
  std::map<std::string, int> unsupported;
};

/// Reads the index of a bundle. Skips texts and states of iterators. Throws data_loss, naming the
/// file and the tensor, if it is damaged.
Bundle read_bundle(const FileSystem& files, const std::string& prefix);

/// The file in which TensorFlow notes the newest checkpoint of its folder.
inline constexpr const char* kBundlePointer = "checkpoint";
/// How it begins.
inline constexpr std::string_view kBundlePointerStart = "model_checkpoint_path";
/// Returns the prefix that the file names, relative to the folder; nullopt if it names none there.
std::optional<std::string> find_bundle_prefix(const FileSystem& files, const std::string& folder);

}  // namespace meshwright::io
