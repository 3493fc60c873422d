// SPDX-License-Identifier: Apache-2.0
// The arrays of formats that store each as a folder of zarr 2.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::checkpoint {

/// How a format stores its arrays.
struct ZarrLayout {
  /// The folder of the array with this path.
  std::string (*folder)(const std::string& path) = nullptr;
  /// Whether each part is one chunk, whatever its size.
  bool chunk_is_part = false;
  bool names_separator = true;
};

/// Arrays being written.
class ZarrArrays {
 public:
  /// Throws invalid_argument if two arrays would have the same folder.
  ZarrArrays(Files files,
             const Tree<ArrayPlan>& arrays,
             const ZarrLayout& layout,
             const WriteOptions& options);

  /// Folders and .zarray, by one process.
  void write_metadata(int max_threads = 8) const;
  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const;
  void write(const std::string& array, const Part& piece) const;

 private:
  struct Entry {
    Dims chunk;
    io::zarr::Writer writer;
  };
  const Entry& entry(const std::string& array) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

/// The array in a folder, which must be of this type. It is opened when it is first needed; then
/// throws data_loss if there is none or it is another one.
StoredArray stored_zarr(const Files& files, std::string folder, ArrayType type);

}  // namespace meshwright::checkpoint
