// SPDX-License-Identifier: Apache-2.0
// Arrays whose elements lie in a file as they do in memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// Elements in a file, row-major and little-endian.
struct RawPiece {
  Ranges ranges;  // the part of the array
  std::string file;
  std::vector<io::FileRange> places;  // one after the other
  /// Throws data_loss if the bytes are damaged. Called once, before the first element is used; may
  /// be absent.
  std::function<void(const io::ReadableFile& piece)> verify = {};
};

/// Returns an array whose pieces cover each element once. Files are opened when elements are read.
StoredArray raw_array(std::shared_ptr<io::FileSystem> files,
                      ArrayType type,
                      std::vector<RawPiece> pieces);

/// Returns a function for RawPiece::verify that compares a checksum, which `update` continues over
/// the blocks of a piece.
std::function<void(const io::ReadableFile& piece)> checksum_verifier(
    std::uint32_t expected,
    std::uint32_t (*update)(std::uint32_t before, std::span<const std::byte> bytes),
    std::string name);

}  // namespace meshwright::checkpoint
