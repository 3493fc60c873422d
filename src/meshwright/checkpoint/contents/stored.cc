// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/stored.h"

#include <utility>

#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/reads.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {
namespace {

class ValueSource : public ArraySource {
 public:
  explicit ValueSource(ArrayParts value) : value_(std::move(value)), chunk_(part_dims(value_)) {}

  Dims chunk() const override { return chunk_; }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    for (const Part& from : value_.parts) {
      const std::optional<Ranges> shared = overlap(part, from.ranges);
      if (!shared) continue;
      const HostTensor piece = cut(from, *shared);
      copy_overlap(piece.data(), *shared, target.data, target.ranges, byte_size(value_.type.dtype));
    }
  }

 private:
  ArrayParts value_;
  Dims chunk_;
};

}  // namespace

StoredArray stored_value(const ArrayParts& value) {
  return {value.type, std::make_shared<ValueSource>(value)};
}

StoredArray stored_value(const HostTensor& value) {
  return stored_value(ArrayParts{value.type(), {{whole_ranges(value.dims()), value}}});
}

HostTensor StoredArray::read(const Ranges& part) const {
  check(part);
  HostTensor out = uninitialized_tensor({type_.dtype, sizes_of(part)});
  read_into(part, {part, out.mutable_data()});
  return out;
}

ArrayParts read_parts(const StoredArray& array,
                      const std::vector<Ranges>& parts,
                      const ReadOptions& options) {
  ArrayParts out{array.type(), {}};
  std::uint64_t num_bytes = 0;
  for (const Ranges& ranges : parts) {
    out.parts.push_back(empty_part(array, ranges));
    num_bytes += out.parts.back().value.num_bytes();
  }
  Reads reads(num_bytes, options);
  for (Part& part : out.parts)
    reads.queue(array, part);
  reads.join();
  return out;
}

void check_readable(const Stored& stored) {
  if (stored.unreadable.empty()) return;
  const std::size_t num_more = stored.unreadable.size() - 1;
  fail(ErrorCode::unimplemented, stored.unreadable.begin()->second,
       num_more == 0 ? "" : str("; ", num_more, " more arrays cannot be read"));
}

Contents read_contents(const Stored& stored, const ReadOptions& options) {
  std::vector<StoredArray> arrays = leaves(stored.arrays);
  std::vector<ArrayParts> values;
  std::uint64_t num_bytes = 0;
  for (const StoredArray& array : arrays) {
    values.push_back({array.type(), {empty_part(array, whole_ranges(array.type().dims))}});
    num_bytes += values.back().parts[0].value.num_bytes();
  }
  Reads reads(num_bytes, options);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    reads.queue(arrays[i], values[i].parts[0]);
  reads.join();
  return {stored.step, with_leaves(stored.arrays, values), stored.meta, stored.iterators};
}

}  // namespace meshwright::checkpoint
