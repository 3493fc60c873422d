// SPDX-License-Identifier: Apache-2.0
// A checkpoint in its files. What is here knows what there is; nothing is read before it is asked
// for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents.h"
#include "meshwright/io/zarr/chunk.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::checkpoint {

/// Where the elements of an array come from; each format has its own.
class ArraySource {
 public:
  virtual ~ArraySource() = default;
  /// Sizes of the pieces it is stored in.
  virtual Dims chunk() const = 0;
  /// Throws data_loss if the files of a part cannot hold it. Reads nothing of them.
  virtual void check(const Ranges& /*part*/) const {}
  /// Reads the part to its place in `target`. Several threads may read at once.
  virtual void read(const Ranges& part, const io::zarr::Target& target) const = 0;
};

/// An array in files: a handle, cheap to copy.
class StoredArray {
 public:
  StoredArray(ArrayType type, std::shared_ptr<const ArraySource> source)
      : type_(std::move(type)), source_(std::move(source)) {}

  const ArrayType& type() const { return type_; }
  /// Sizes of the pieces it is stored in, of which each is read whole. Throws as read does.
  Dims chunk() const { return source_->chunk(); }

  /// For those who make room for a part: throws data_loss if its files are missing or too short, so
  /// that nobody needs memory for what is not there.
  void check(const Ranges& part) const { source_->check(part); }
  /// The part, to its place in a larger one. Throws data_loss, naming the file, for what is damaged
  /// or missing; unavailable if reading fails. Several threads may read at once.
  void read_into(const Ranges& part, const io::zarr::Target& target) const {
    source_->read(part, target);
  }
  HostTensor read(const Ranges& part) const;
  HostTensor read() const { return read(whole_ranges(type_.dims)); }

 private:
  ArrayType type_;
  std::shared_ptr<const ArraySource> source_;
};

/// A value that is in memory, as if it were stored.
StoredArray stored_value(const HostTensor& value);
/// The same of an array in parts. Throws invalid_argument unless they are a grid.
StoredArray stored_value(const ArrayParts& value);

/// A committed step.
struct Stored {
  std::int64_t step = 0;
  Tree<StoredArray> arrays;
  Meta meta;
  /// Of the system that wrote it; those we write have their position in `meta`.
  std::vector<IteratorState> iterators = {};
  /// Whether damage of any byte is found when it is read, by checksums.
  bool is_verified = false;
  /// A checksum of all of it, "1c291ca3"; empty where there is no manifest.
  std::string digest = {};
  /// The id of the run that saved it; empty if unknown.
  std::string run = {};
};

struct ReadOptions {
  /// Each reads one stored piece at a time.
  int max_threads = 8;
  /// What may be in memory beside what was asked for: stored pieces while they are decoded.
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
};

/// These parts of an array. Only the pieces they touch are read.
ArrayParts read_parts(const StoredArray& array,
                      const std::vector<Ranges>& parts,
                      const ReadOptions& options = {});
/// All of a checkpoint, each array in one part.
Contents read_contents(const Stored& stored, const ReadOptions& options = {});

}  // namespace meshwright::checkpoint
