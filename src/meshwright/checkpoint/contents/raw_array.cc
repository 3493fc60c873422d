// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/raw_array.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/contents/chunks.h"

namespace meshwright::checkpoint {
namespace {

// Parts are read in pieces of at most this size.
constexpr std::int64_t kRawChunkBytes = std::int64_t{16} << 20;

Ranges inside(const Ranges& part, const Ranges& whole) {
  Ranges out = part;
  for (std::size_t d = 0; d < part.size(); ++d)
    out[d] = {part[d].start - whole[d].start, part[d].stop - whole[d].start};
  return out;
}

class RawSource : public ArraySource {
 public:
  RawSource(std::shared_ptr<io::FileSystem> files, ArrayType type, std::vector<RawPiece> pieces)
      : files_(std::move(files)), type_(std::move(type)), pieces_(pieces.size()) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces_[i].raw = std::move(pieces[i]);
  }

  Dims chunk() const override {
    Dims out = chunk_within(type_.dims, type_, kRawChunkBytes);
    for (std::int64_t& size : out)
      size = std::max(size, std::int64_t{1});
    return out;
  }

  void check(const Ranges& part) const override {
    for (const Piece& piece : pieces_)
      if (overlap(piece.raw.ranges, part)) open(piece.raw);
  }

  void read(const Ranges& part, const io::zarr::Target& target) const override {
    for (const Piece& piece : pieces_) {
      const std::optional<Ranges> shared = overlap(piece.raw.ranges, part);
      if (shared) read(piece, *shared, target);
    }
  }

 private:
  struct Piece {
    RawPiece raw;
    mutable std::once_flag verified;
  };

  std::unique_ptr<io::ReadableFile> open(const RawPiece& piece) const {
    return io::file_regions(find(piece.file), piece.places, files_->full_name(piece.file));
  }

  std::unique_ptr<io::ReadableFile> find(const std::string& file) const {
    try {
      return files_->open(file);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      throw Error(ErrorCode::data_loss, error.what());  // the index says that it exists
    }
  }

  void read(const Piece& piece, const Ranges& shared, const io::zarr::Target& target) const {
    const std::unique_ptr<io::ReadableFile> file = open(piece.raw);
    if (piece.raw.verify) std::call_once(piece.verified, [&] { piece.raw.verify(*file); });
    const Dims piece_dims = sizes_of(piece.raw.ranges);
    const Runs from = runs(piece_dims, inside(shared, piece.raw.ranges));
    if (from.offsets.empty()) return;
    const Runs to = runs(sizes_of(target.ranges), inside(shared, target.ranges));
    if (from.offsets.size() > 1 && is_dense(from)) return read_around(*file, piece, shared, target);
    for_each_shared_run(from, to, [&](std::int64_t first, std::int64_t at, std::int64_t count) {
      file->read(bytes(first), {target.data + bytes(at), bytes(count)});
    });
  }

  // True if reading everything between the first and the last run costs little.
  bool is_dense(const Runs& runs) const {
    const std::int64_t span = runs.offsets.back() - runs.offsets.front() + runs.length;
    constexpr std::uint64_t kLongRun = std::uint64_t{256} << 10;
    return bytes(runs.length) < kLongRun &&
           bytes(span) <= static_cast<std::uint64_t>(4 * kRawChunkBytes);
  }

  void read_around(const io::ReadableFile& file,
                   const Piece& piece,
                   const Ranges& shared,
                   const io::zarr::Target& target) const {
    const Dims piece_dims = sizes_of(piece.raw.ranges);
    Ranges rows = shared;  // complete rows: one run
    for (std::size_t d = 1; d < rows.size(); ++d)
      rows[d] = piece.raw.ranges[d];
    const Runs whole = runs(piece_dims, inside(rows, piece.raw.ranges));
    io::Buffer buffer(bytes(whole.length));
    file.read(bytes(whole.offsets.front()), buffer.span());
    // Writes nothing outside the part: another thread may be filling it.
    io::Buffer wanted(bytes(num_elements(sizes_of(shared))));
    copy_overlap(buffer.data(), rows, wanted.data(), shared, byte_size(type_.dtype));
    copy_overlap(wanted.data(), shared, target.data, target.ranges, byte_size(type_.dtype));
  }

  // Calls f(first, at, count) for runs that are adjacent on both sides.
  template <typename F>
  static void for_each_shared_run(const Runs& from, const Runs& to, const F& f) {
    const std::int64_t step = std::min(from.length, to.length);  // one divides the other
    const std::int64_t total = from.length * std::ssize(from.offsets);
    for (std::int64_t done = 0; done < total; done += step) {
      const auto place = [&](const Runs& runs) {
        return runs.offsets[static_cast<std::size_t>(done / runs.length)] + done % runs.length;
      };
      f(place(from), place(to), step);
    }
  }

  std::uint64_t bytes(std::int64_t count) const {
    return static_cast<std::uint64_t>(count) * byte_size(type_.dtype);
  }

  std::shared_ptr<io::FileSystem> files_;
  ArrayType type_;
  std::vector<Piece> pieces_;
};

}  // namespace

StoredArray raw_array(std::shared_ptr<io::FileSystem> files,
                      ArrayType type,
                      std::vector<RawPiece> pieces) {
  auto source = std::make_shared<RawSource>(std::move(files), type, std::move(pieces));
  return {std::move(type), std::move(source)};
}

std::function<void(const io::ReadableFile& piece)> checksum_verifier(
    std::uint32_t expected,
    std::uint32_t (*update)(std::uint32_t before, std::span<const std::byte> bytes),
    std::string name) {
  return [expected, update, name = std::move(name)](const io::ReadableFile& piece) {
    std::uint32_t found = 0;
    io::for_each_block(piece, {0, piece.num_bytes()},
                       [&](std::span<const std::byte> block) { found = update(found, block); });
    if (found != expected) fail(ErrorCode::data_loss, name, ": checksum mismatch");
  };
}

}  // namespace meshwright::checkpoint
