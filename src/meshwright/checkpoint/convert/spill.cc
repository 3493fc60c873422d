// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/convert/spill.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/zarr/metadata.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {
namespace {

std::uint64_t chunk_bytes(const StoredArray& array) {
  return static_cast<std::uint64_t>(num_elements(array.chunk())) * byte_size(array.type().dtype);
}

Dims grid_of(const StoredArray& array) {
  Dims out = array.chunk();
  for (std::size_t d = 0; d < out.size(); ++d)
    out[d] = (array.type().dims[d] + out[d] - 1) / out[d];
  return out;
}

// Calls f with the place of every chunk, in the order of the grid.
template <typename F>
void for_each_chunk(const StoredArray& array, const F& f) {
  io::zarr::for_each_place(whole_ranges(array.type().dims), array.chunk(), f);
}

void append_chunk(const StoredArray& array, const Dims& place, io::WritableFile& file) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::unique_ptr<io::ByteStream> stream = array.stream_chunk(place);
  if (stream == nullptr) fail(ErrorCode::data_loss, "a chunk has disappeared");
  io::Buffer block(kBlock);
  while (const std::size_t num_bytes = stream->read(block.span()))
    file.append(block.span().first(num_bytes));
}

// Writes all chunks, one after the other, to a file that has no name any longer.
std::shared_ptr<const io::ReadableFile> decoded(const StoredArray& array, io::FileSystem& folder) {
  const std::string name = free_name(folder, "unfinished-chunks");
  const std::unique_ptr<io::WritableFile> file = folder.create(name);
  try {
    for_each_chunk(array, [&](const Dims& place) { append_chunk(array, place, *file); });
    file->close();
    std::shared_ptr<const io::ReadableFile> out = folder.open(name);
    folder.remove(name);
    return out;
  } catch (const Error&) {
    folder.remove(name);
    throw;
  }
}

class SpilledSource : public ArraySource {
 public:
  SpilledSource(StoredArray array, Files folder)
      : array_(std::move(array)),
        folder_(std::move(folder)),
        chunk_(array_.chunk()),
        grid_(grid_of(array_)) {}

  Dims chunk() const override { return chunk_; }
  bool reads_parts() const override { return true; }
  void check(const Ranges& part) const override { array_.check(part); }

  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const std::shared_ptr<const io::ReadableFile> file = decoded_file();
    const std::uint64_t num_bytes = chunk_bytes(array_);
    io::zarr::for_each_place(part, chunk_, [&](const Dims& place) {
      std::uint64_t number = 0;
      Ranges where;
      for (std::size_t d = 0; d < place.size(); ++d) {
        number =
            number * static_cast<std::uint64_t>(grid_[d]) + static_cast<std::uint64_t>(place[d]);
        where.push_back({place[d] * chunk_[d], (place[d] + 1) * chunk_[d]});
      }
      const Ranges wanted = *overlap(where, part);
      const auto region = io::file_region(file, {number * num_bytes, num_bytes}, "chunk");
      HostTensor elements = uninitialized_tensor({array_.type().dtype, sizes_of(wanted)});
      io::zarr::read_chunk(*region, {}, array_.type().dtype, where,
                           {wanted, elements.mutable_data()});
      copy_overlap(elements.data(), wanted, target.data, target.ranges,
                   byte_size(array_.type().dtype));
    });
  }

 private:
  std::shared_ptr<const io::ReadableFile> decoded_file() const {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) file_ = decoded(array_, *folder_);
    return file_;
  }

  StoredArray array_;
  Files folder_;
  Dims chunk_, grid_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const io::ReadableFile> file_;
};

bool is_to_be_spilled(const StoredArray& array, const CopyOptions& options) {
  const bool is_large = kCopies * chunk_bytes(array) > options.budget_bytes;
  if (!is_large || array.reads_parts()) return false;
  bool has_streams = true;
  for_each_chunk(array, [&](const Dims& place) {
    has_streams = has_streams && array.stream_chunk(place) != nullptr;
  });
  return has_streams;
}

}  // namespace

Spilled spill_large_chunks(const Stored& stored, const CopyOptions& options, const Files& folder) {
  Spilled out{.stored = stored};
  out.stored.arrays = map(stored.arrays, [&](const std::string&, const StoredArray& array) {
    if (!is_to_be_spilled(array, options)) return array;
    const auto num_chunks = static_cast<std::uint64_t>(num_elements(grid_of(array)));
    out.largest_file = std::max(out.largest_file, num_chunks * chunk_bytes(array));
    return StoredArray(array.type(), std::make_shared<SpilledSource>(array, folder));
  });
  return out;
}

}  // namespace meshwright::checkpoint
