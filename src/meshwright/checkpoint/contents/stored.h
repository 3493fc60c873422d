// SPDX-License-Identifier: Apache-2.0
// A checkpoint on disk. These handles know the names and types of the arrays and read elements only
// on demand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/contents/structure.h"
#include "meshwright/io/streams/byte_stream.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::checkpoint {

/// Reads the elements of one stored array. Every format implements it.
class ArraySource {
 public:
  virtual ~ArraySource() = default;
  /// Returns the shape of the stored chunks.
  virtual Dims chunk() const = 0;
  /// True if a part of a chunk is read without the rest of it.
  virtual bool reads_parts() const { return false; }
  /// Returns the elements of the chunk at this place in the grid, decoded as they are read; null if
  /// it can only be decoded as a whole, or is missing.
  virtual std::unique_ptr<io::ByteStream> stream_chunk(const Dims& /*place*/) const {
    return nullptr;
  }
  /// Throws data_loss if the files of a part are missing or too short for it. Does not read them.
  virtual void check(const Ranges& /*part*/) const {}
  /// Reads a part into its place in `target`. Thread-safe.
  virtual void read(const Ranges& part, const io::zarr::Target& target) const = 0;
};

/// A handle to a stored array; cheap to copy.
class StoredArray {
 public:
  StoredArray(ArrayType type, std::shared_ptr<const ArraySource> source)
      : type_(std::move(type)), source_(std::move(source)) {}

  const ArrayType& type() const { return type_; }
  /// Returns the shape of the stored chunks. A chunk is read whole, unless reads_parts() is true.
  /// Throws the errors of read().
  Dims chunk() const { return source_->chunk(); }
  bool reads_parts() const { return source_->reads_parts(); }
  std::unique_ptr<io::ByteStream> stream_chunk(const Dims& place) const {
    return source_->stream_chunk(place);
  }

  /// Throws data_loss if the files of a part are missing or too short. Call this before allocating
  /// memory for the part.
  void check(const Ranges& part) const { source_->check(part); }
  /// Reads a part into its place in a larger array. Throws data_loss, naming the file, if it is
  /// damaged or missing, and unavailable if reading fails. Thread-safe.
  void read_into(const Ranges& part, const io::zarr::Target& target) const {
    source_->read(part, target);
  }
  HostTensor read(const Ranges& part) const;
  HostTensor read() const { return read(whole_ranges(type_.dims)); }

 private:
  ArrayType type_;
  std::shared_ptr<const ArraySource> source_;
};

/// Wraps a value in memory as a stored array.
StoredArray stored_value(const HostTensor& value);
/// Wraps an array that is split into parts. Throws invalid_argument unless the parts form a grid.
StoredArray stored_value(const ArrayParts& value);

/// Reasons why arrays cannot be read, such as a dtype that is not supported, by path.
using UnreadableArrays = std::map<std::string, std::string>;

/// The tree of a file that describes one.
struct StoredTree {
  Tree<StoredArray> arrays;
  Structure structure;
  UnreadableArrays unreadable;
};

/// A committed checkpoint.
struct Stored {
  std::int64_t step = 0;
  Tree<StoredArray> arrays;
  Meta meta;
  /// Iterator states of the system that wrote it. Meshwright's own data position is in `meta`.
  std::vector<IteratorState> iterators = {};
  /// Members of its tree without an array.
  Structure structure = {};
  UnreadableArrays unreadable = {};
  /// True if checksums detect damage to any byte when it is read.
  bool is_verified = false;
  /// Checksum of the whole checkpoint, such as "1c291ca3". Empty if there is no manifest.
  std::string digest = {};
  /// Id of the run that saved it; empty if unknown.
  std::string run = {};
};

/// Throws unimplemented if an array cannot be read.
void check_readable(const Stored& stored);

struct ReadOptions {
  /// Number of reading threads; each reads one chunk at a time.
  int max_threads = 8;
  /// Upper bound on memory for chunks being decoded, in addition to the result itself.
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
};

/// Reads the given parts of an array, fetching only the chunks that overlap them.
ArrayParts read_parts(const StoredArray& array,
                      const std::vector<Ranges>& parts,
                      const ReadOptions& options = {});
/// Reads a whole checkpoint, with each array in one part.
Contents read_contents(const Stored& stored, const ReadOptions& options = {});

}  // namespace meshwright::checkpoint
