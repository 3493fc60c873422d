// SPDX-License-Identifier: Apache-2.0
// Arrays of formats that store each array as a zarr 2 folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::checkpoint {

/// How a format stores its arrays.
struct ZarrLayout {
  /// Returns the folder of the array with this path.
  std::string (*folder)(const std::string& path, const Structure& structure) = nullptr;
  /// True to store every part as one chunk, whatever its size.
  bool chunk_is_part = false;
  /// Returns the chunks into which a part is divided. If absent, WriteOptions decide.
  Dims (*chunk)(const Dims& part, DType dtype) = nullptr;
  bool names_separator = true;
};

/// Writes the arrays of a checkpoint.
class ZarrArrays {
 public:
  /// Throws invalid_argument if two arrays would have the same folder.
  ZarrArrays(Files files,
             const CheckpointPlan& checkpoint,
             const ZarrLayout& layout,
             const WriteOptions& options);

  /// Writes the folders and .zarray files. Only one process may call it.
  void write_metadata(int max_threads = 8) const;
  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const;
  void write(const std::string& array, const Part& piece) const;
  /// Returns the file of a piece.
  std::string file_of(const std::string& array, const Ranges& piece) const;

 private:
  struct Entry {
    Dims chunk;
    io::zarr::Writer writer;
  };
  const Entry& entry(const std::string& array) const;
  Dims place_of(const std::string& array, const Ranges& piece) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

/// Returns the array in a folder. It is opened on first use, which throws data_loss if it is
/// missing or has another type.
StoredArray stored_zarr(const Files& files, std::string folder, ArrayType type);
/// Opens the array in a folder. Throws data_loss if it is missing.
StoredArray open_zarr(const Files& files,
                      const std::string& folder,
                      io::zarr::MissingChunks missing = io::zarr::MissingChunks::are_data_loss);

}  // namespace meshwright::checkpoint
