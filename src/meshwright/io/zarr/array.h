// SPDX-License-Identifier: Apache-2.0
// Arrays stored as folders of chunks: zarr versions 2 and 3.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "meshwright/io/file_system.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/io/zarr/metadata.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::io::zarr {

/// Meaning of a missing chunk file: all elements of the chunk have the fill value, as the format
/// specifies, or, if the writer is known to store every chunk, the chunk was lost.
enum class MissingChunks { are_fill, are_data_loss };

/// An array to read. Cheap to copy. Several threads may read at once.
class Array {
 public:
  /// Throws not_found if the folder holds no array. Also throws the errors of parse_v2() and
  /// parse_v3().
  static Array open(std::shared_ptr<const FileSystem> files,
                    std::string folder,
                    MissingChunks missing = MissingChunks::are_fill);

  const ArrayType& type() const { return metadata_.type; }
  const Metadata& metadata() const { return metadata_; }
  const std::string& folder() const { return folder_; }

  /// Throws data_loss unless every chunk file of this part is large enough. Reads no chunk and
  /// allocates no elements.
  void check(const Ranges& ranges) const;

  HostTensor read() const { return read(whole_ranges(type().dims)); }
  /// Reads a part, and only the chunks that it touches. If a chunk is damaged or lost, throws
  /// data_loss, naming the chunk file.
  HostTensor read(const Ranges& ranges) const;
  /// Opens the file of a chunk; null if it is missing and stands for the fill value. Throws
  /// data_loss if its size is impossible.
  std::unique_ptr<ReadableFile> open_chunk(const Dims& place) const;
  /// Returns the elements of a chunk in memory order, decoded as they are read; null if the chunk
  /// is missing, or can only be decoded as a whole.
  std::unique_ptr<ByteStream> stream_chunk(const Dims& place) const;
  /// False if the chunk's file is missing.
  bool has_chunk(const Dims& place) const;
  /// Returns the full name of a chunk file, for messages.
  std::string chunk_name(const Dims& place) const;
  /// Reads a part into the larger part that `target` holds. Several threads may fill one target.
  void read_into(const Ranges& ranges, const Target& target) const;

 private:
  Array(std::shared_ptr<const FileSystem> files,
        std::string folder,
        Metadata metadata,
        MissingChunks missing)
      : files_(std::move(files)),
        folder_(std::move(folder)),
        metadata_(std::move(metadata)),
        missing_(missing) {}

  // Returns the size of a chunk's file; nullopt for a missing chunk that stands for the fill value.
  std::optional<std::uint64_t> find_chunk(const std::string& path) const;
  void check_chunk(const std::string& path, std::uint64_t num_bytes, const Ranges& where) const;
  void read_chunk_at(const Dims& place, const Ranges& ranges, const Target& target) const;
  void fill(const Ranges& part, const Target& target) const;

  std::shared_ptr<const FileSystem> files_;
  std::string folder_;
  Metadata metadata_;
  MissingChunks missing_;
};

enum class Compressor { none, zstd, gzip, zlib, blosc };

struct WriteOptions {
  Dims chunk;  // the size along each dimension
  Compressor compressor = Compressor::none;
  int level = 1;
  BloscShuffle shuffle = BloscShuffle::bytes;  // for blosc
  /// If true, stores the differences of neighbours, for integers.
  bool is_delta = false;
  char separator = '.';
  /// If true, writes the separator even if it is the default. (zarr-python omits the default.)
  bool names_separator = true;
  Durability durability = Durability::none;
};

/// Writes a version 2 array: one process writes the metadata first; then any number of threads
/// write chunks in any order.
class Writer {
 public:
  Writer(std::shared_ptr<FileSystem> files,
         std::string folder,
         ArrayType type,
         WriteOptions options);

  /// Returns the text of .zarray: compact, with sorted members, as TensorStore writes it.
  std::string metadata_text() const;
  /// Creates the folder and writes .zarray.
  void write_metadata() const;
  /// Writes the chunk at this grid position. At the end of the array, `elements` may be limited to
  /// the part within the array; it is then padded to a full chunk.
  void write_chunk(const Dims& place, const HostTensor& elements) const;
  /// Returns the path of a chunk file.
  std::string chunk_path(const Dims& place) const;

 private:
  std::shared_ptr<FileSystem> files_;
  std::string folder_;
  WriteOptions options_;
  Metadata metadata_;
};

}  // namespace meshwright::io::zarr
