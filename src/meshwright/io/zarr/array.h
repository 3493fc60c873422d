// SPDX-License-Identifier: Apache-2.0
// Arrays in folders of chunks: zarr versions 2 and 3.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "meshwright/io/file_system.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/io/zarr/metadata.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::io::zarr {

/// What a chunk without a file means: that it is full of the fill value, as the format says, or,
/// where the writer is known to store every chunk, that it was lost.
enum class MissingChunks { are_fill, are_data_loss };

/// An array to read. Cheap to copy; several threads may read at once.
class Array {
 public:
  /// Throws not_found if the folder holds no array, otherwise as parse_v2 and parse_v3.
  static Array open(std::shared_ptr<const FileSystem> files,
                    std::string folder,
                    MissingChunks missing = MissingChunks::are_fill);

  const ArrayType& type() const { return metadata_.type; }
  const Metadata& metadata() const { return metadata_; }
  const std::string& folder() const { return folder_; }

  /// Throws data_loss unless the file of every chunk of a part can hold it, before there is room
  /// for the elements. Reads nothing.
  void check(const Ranges& ranges) const;

  HostTensor read() const { return read(whole_ranges(type().dims)); }
  /// A part; only the chunks it touches are read. Throws data_loss naming the chunk's file.
  HostTensor read(const Ranges& ranges) const;
  /// A part, to its place in the larger one that `target` is. Several threads may fill one target.
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

  // The bytes of its file; nothing where a missing one is full of the fill value.
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
  Dims chunk;  // sizes
  Compressor compressor = Compressor::none;
  int level = 1;
  char separator = '.';
  /// zarr-python leaves the member out where it is the usual one.
  bool names_separator = true;
  Durability durability = Durability::none;
};

/// An array of version 2 being written: first the metadata, by one process, then chunks in any
/// order, by any thread.
class Writer {
 public:
  Writer(std::shared_ptr<FileSystem> files,
         std::string folder,
         ArrayType type,
         WriteOptions options);

  /// The text of .zarray: compact, members sorted, as TensorStore writes it.
  std::string metadata_text() const;
  /// Makes the folder and writes .zarray.
  void write_metadata() const;
  /// Writes the chunk at this place of the grid. At the end of a dimension `elements` may be cut
  /// off there; the chunk is stored whole.
  void write_chunk(const Dims& place, const HostTensor& elements) const;
  /// The file of a chunk.
  std::string chunk_path(const Dims& place) const;

 private:
  std::shared_ptr<FileSystem> files_;
  std::string folder_;
  WriteOptions options_;
  Metadata metadata_;
};

}  // namespace meshwright::io::zarr
