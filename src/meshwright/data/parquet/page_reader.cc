// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/page_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <isa-l/crc.h>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::uint64_t kReadBytes = 128 << 10;
constexpr std::uint64_t kFirstHeaderBytes = 16 << 10;
constexpr std::uint64_t kMaxHeaderBytes = 16 << 20;
constexpr std::uint64_t kMaxPageBytes = std::uint64_t{1} << 30;

void check_crc(const PageHeader& header, std::string_view stored) {
  if (!header.crc) return;
  const auto* bytes = reinterpret_cast<const unsigned char*>(stored.data());
  if (crc32_gzip_refl(0, bytes, stored.size()) != *header.crc)
    fail(ErrorCode::data_loss, "checksum mismatch");
}

}  // namespace

PageReader::PageReader(std::shared_ptr<const io::ReadableFile> file, const ColumnChunk& chunk)
    : file_(std::move(file)),
      codec_(chunk.codec),
      next_(chunk.offset),
      end_(chunk.offset + chunk.num_bytes),
      offset_(chunk.offset) {}

// Returns at least `num_bytes` bytes from next_ on, or all that the chunk has.
std::string_view PageReader::window(std::uint64_t num_bytes) {
  const std::uint64_t wanted = std::min(num_bytes, end_ - next_);
  const std::uint64_t used = next_ - window_begin_;
  const bool is_inside = next_ >= window_begin_ && used <= window_.size();
  const std::uint64_t has = is_inside ? window_.size() - used : 0;
  if (has < wanted) {
    io::Buffer wider(std::min(end_ - next_, std::max(wanted, kReadBytes)));
    if (has > 0) std::memcpy(wider.data(), window_.data() + used, has);
    file_->read(next_ + has, wider.span().subspan(has));
    window_ = std::move(wider);
    window_begin_ = next_;
  }
  return window_.text().substr(next_ - window_begin_);
}

PageHeader PageReader::read_header() {
  const std::uint64_t limit = std::min(end_ - next_, kMaxHeaderBytes);
  for (std::uint64_t size = kFirstHeaderBytes; size < limit; size *= 8) {
    try {
      return parse_page_header(window(size).substr(0, size));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;  // else perhaps only truncated
    }
  }
  return parse_page_header(window(limit).substr(0, limit));
}

bool PageReader::next(Page& page) {
  if (next_ == end_) return false;
  offset_ = next_;
  page.header = read_header();
  next_ += page.header.num_header;
  const std::uint64_t size = page.header.num_stored;
  if (size > end_ - next_) {
    fail(ErrorCode::data_loss, "page of ", size, " bytes, but the column has ", end_ - next_,
         " left");
  }
  if (std::max<std::uint64_t>(size, page.header.num_uncompressed) > kMaxPageBytes)
    fail(ErrorCode::data_loss, "page is larger than ", kMaxPageBytes, " bytes");
  const std::string_view stored = window(size).substr(0, size);
  next_ += size;
  check_crc(page.header, stored);
  decompress_body(stored, page);
  return true;
}

void PageReader::decompress_body(std::string_view stored, Page& page) {
  const PageHeader& header = page.header;
  page.repetition_levels = {};
  page.definition_levels = {};
  std::uint64_t num_out = header.num_uncompressed;
  PageCodec codec = codec_;
  if (header.kind == PageKind::data_v2) {
    page.repetition_levels = take(stored, header.num_repetition_bytes);
    page.definition_levels = take(stored, header.num_definition_bytes);
    const std::uint64_t num_levels = header.num_repetition_bytes + header.num_definition_bytes;
    if (num_levels > num_out) fail(ErrorCode::data_loss, "levels are larger than the page");
    num_out -= num_levels;
    if (!header.is_compressed) codec = PageCodec::uncompressed;
  }
  // Some writers store nothing for a page without values.
  const bool is_stored = codec == PageCodec::uncompressed || num_out == 0;
  if (is_stored) {
    if (num_out != 0 && stored.size() != num_out)
      fail(ErrorCode::data_loss, "has ", stored.size(), " bytes, expected ", num_out);
    page.body = stored.substr(0, num_out);
    return;
  }
  if (num_out > max_decompressed_bytes(codec, stored.size()))
    fail(ErrorCode::data_loss, stored.size(), " bytes cannot decompress to ", num_out);
  if (decompressed_.size() < num_out) decompressed_ = io::Buffer(num_out);
  const std::span<std::byte> out{decompressed_.data(), num_out};
  decompress(codec, io::as_bytes(stored), out);
  page.body = io::as_text(out);
}

}  // namespace meshwright::data::parquet
