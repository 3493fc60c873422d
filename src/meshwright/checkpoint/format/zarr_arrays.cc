// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/zarr_arrays.h"

#include <mutex>
#include <optional>
#include <utility>

#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/tasks.h"

namespace meshwright::checkpoint {

namespace zarr = io::zarr;

namespace {

Dims chunk_of(const ArrayPlan& plan, const ZarrLayout& layout, const WriteOptions& options) {
  if (layout.chunk_is_part) return plan.part;
  if (layout.chunk != nullptr) return layout.chunk(plan.part, plan.type.dtype);
  return chunk_within(plan.part, plan.type, options.max_chunk_bytes);
}

}  // namespace

ZarrArrays::ZarrArrays(Files files,
                       const CheckpointPlan& checkpoint,
                       const ZarrLayout& layout,
                       const WriteOptions& options) {
  std::map<std::string, std::string> paths;  // keyed by folder
  for_each(checkpoint.arrays, [&](const std::string& path, const ArrayPlan& plan) {
    std::string folder = layout.folder(path, checkpoint.structure);
    auto [other, is_new] = paths.emplace(folder, path);
    MW_CHECK(is_new, "checkpoint: '", other->second, "' and '", path,
             "' would both be stored in the folder '", folder, "'\nrename one of them");
    const Dims chunk = chunk_of(plan, layout, options);
    zarr::WriteOptions writing{.chunk = chunk,
                               .compressor = options.compressor,
                               .level = options.level,
                               .names_separator = layout.names_separator,
                               .durability = io::Durability::synced};
    entries_.emplace(path, Entry{chunk, zarr::Writer(files, folder, plan.type, writing)});
  });
}

void ZarrArrays::write_metadata(int max_threads) const {
  constexpr std::size_t kFew = 16;
  Tasks tasks(entries_.size() <= kFew ? 1 : max_threads);
  for (const auto& [path, entry] : entries_)
    tasks.run([&writer = entry.writer] { writer.write_metadata(); });
  tasks.join();
}

const ZarrArrays::Entry& ZarrArrays::entry(const std::string& array) const {
  auto found = entries_.find(array);
  MW_CHECK(found != entries_.end(), "checkpoint: '", array, "' is not in the plan");
  return found->second;
}

std::vector<Ranges> ZarrArrays::pieces(const std::string& array, const Ranges& part) const {
  return pieces_of(part, entry(array).chunk);
}

Dims ZarrArrays::place_of(const std::string& array, const Ranges& piece) const {
  const Dims& chunk = entry(array).chunk;
  Dims out;
  for (std::size_t d = 0; d < piece.size(); ++d) {
    MW_CHECK(piece[d].start % chunk[d] == 0, "checkpoint: a piece ", piece, " of '", array,
             "' starts within a chunk of ", chunk);
    out.push_back(piece[d].start / chunk[d]);
  }
  return out;
}

void ZarrArrays::write(const std::string& array, const Part& piece) const {
  entry(array).writer.write_chunk(place_of(array, piece.ranges), piece.value);
}

std::string ZarrArrays::file_of(const std::string& array, const Ranges& piece) const {
  return entry(array).writer.chunk_path(place_of(array, piece));
}

namespace {

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Checks arrays that are read chunk by chunk: every chunk must fit in memory, and so must their
// list.
void check_chunks(const zarr::Array& array, const std::string& name) {
  constexpr std::int64_t kMaxChunks = std::int64_t{1} << 22;
  const zarr::Metadata& metadata = array.metadata();
  if (!zarr::product_below(metadata.grid(), kMaxChunks)) {
    fail(ErrorCode::data_loss, name, ": ", array.type(), " in chunks of ", metadata.chunk,
         "; at most ", kMaxChunks, " chunks are supported");
  }
  if (metadata.chunk_bytes() > memory_bytes()) {
    fail(ErrorCode::data_loss, name, ": chunks of ", metadata.chunk_bytes(),
         " bytes are larger than the memory of this machine");
  }
}

zarr::Array open_checked(const Files& files,
                         const std::string& folder,
                         zarr::MissingChunks missing) {
  try {
    zarr::Array out = zarr::Array::open(files, folder, missing);
    check_chunks(out, files->full_name(folder));
    return out;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    throw Error(ErrorCode::data_loss, error.what());
  }
}

class ZarrSource : public ArraySource {
 public:
  ZarrSource(Files files, std::string folder, ArrayType type)
      : files_(std::move(files)), folder_(std::move(folder)), type_(std::move(type)) {}
  explicit ZarrSource(zarr::Array array) : type_(array.type()), array_(std::move(array)) {}

  Dims chunk() const override { return array().metadata().chunk; }
  bool reads_parts() const override { return zarr::stores_elements(array().metadata().format); }
  std::unique_ptr<io::ByteStream> stream_chunk(const Dims& place) const override {
    return array().stream_chunk(place);
  }
  void check(const Ranges& part) const override { array().check(part); }
  void read(const Ranges& part, const zarr::Target& target) const override {
    array().read_into(part, target);
  }

 private:
  const zarr::Array& array() const {
    std::lock_guard lock(mutex_);
    if (!array_) array_ = open();
    return *array_;
  }

  zarr::Array open() const {
    zarr::Array out = open_checked(files_, folder_, zarr::MissingChunks::are_data_loss);
    if (out.type() == type_) return out;
    fail(ErrorCode::data_loss, files_->full_name(folder_), ": is ", out.type(), ", expected ",
         type_, " according to the checkpoint");
  }

  Files files_;
  std::string folder_;
  ArrayType type_;
  mutable std::mutex mutex_;
  mutable std::optional<zarr::Array> array_;
};

}  // namespace

StoredArray stored_zarr(const Files& files, std::string folder, ArrayType type) {
  auto source = std::make_shared<ZarrSource>(files, std::move(folder), type);
  return {std::move(type), std::move(source)};
}

StoredArray open_zarr(const Files& files, const std::string& folder, zarr::MissingChunks missing) {
  zarr::Array array = open_checked(files, folder, missing);
  ArrayType type = array.type();
  return {std::move(type), std::make_shared<ZarrSource>(std::move(array))};
}

}  // namespace meshwright::checkpoint
