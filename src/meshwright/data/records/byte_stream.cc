// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/byte_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/base/error.h"

namespace meshwright::data {
namespace {

using std::string_view_literals::operator""sv;

struct Magic {
  std::string_view bytes;
  std::string_view kind;
};
constexpr std::array<Magic, 8> kUnsupported = {{{"BZh91AY&SY"sv, "bzip2"sv},
                                                {"\xfd"
                                                 "7zXZ\0"sv,
                                                 "xz"sv},
                                                {"\x04\x22\x4d\x18"sv, "lz4"sv},
                                                {"PK\x03\x04"sv, "zip"sv},
                                                {"PAR1"sv, "Parquet"sv},
                                                {"7z\xbc\xaf\x27\x1c"sv, "7z"sv},
                                                {"\xff\xfe"sv, "UTF-16"sv},
                                                {"\xfe\xff"sv, "UTF-16"sv}}};
constexpr std::size_t kMagicBytes = 10;

bool is_zstd(std::string_view first) {
  constexpr std::string_view frame = "\x28\xb5\x2f\xfd"sv;
  constexpr std::string_view skippable_end = "\x2a\x4d\x18"sv;
  if (first.starts_with(frame)) return true;
  return first.size() >= 4 && (static_cast<unsigned char>(first[0]) & 0xf0U) == 0x50U &&
         first.substr(1, 3) == skippable_end;
}

class PlainStream : public ByteStream {
 public:
  PlainStream(std::shared_ptr<const io::ReadableFile> file, std::uint64_t begin)
      : file_(std::move(file)), offset_(std::min(begin, file_->num_bytes())) {}

  std::size_t read(std::span<std::byte> out) override {
    const std::uint64_t left = file_->num_bytes() - offset_;
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, out.size())));
    if (!out.empty()) file_->read(offset_, out);
    offset_ += out.size();
    return out.size();
  }

 private:
  std::shared_ptr<const io::ReadableFile> file_;
  std::uint64_t offset_;
};

}  // namespace

Compression compression_of(std::span<const std::byte> first_bytes, std::string_view name) {
  const std::string_view first = io::as_text(first_bytes);
  if (first.starts_with("\x1f\x8b"sv)) return Compression::gzip;
  if (is_zstd(first)) return Compression::zstd;
  for (const Magic& magic : kUnsupported) {
    if (first.starts_with(magic.bytes)) {
      fail(ErrorCode::unimplemented, name, ": is ", magic.kind,
           " data; only UTF-8 text is read, plain or compressed with gzip or zstd");
    }
  }
  if (first.empty() && (name.ends_with(".gz") || name.ends_with(".zst")))
    fail(ErrorCode::data_loss, name, ": is empty, expected compressed data");
  return Compression::none;
}

Compression compression_of(const io::ReadableFile& file, const std::string& name) {
  std::array<std::byte, kMagicBytes> bytes{};
  const std::span<std::byte> first = std::span(bytes).first(
      static_cast<std::size_t>(std::min<std::uint64_t>(file.num_bytes(), kMagicBytes)));
  file.read(0, first);
  return compression_of(first, name);
}

std::unique_ptr<ByteStream> plain_stream(std::shared_ptr<const io::ReadableFile> file,
                                         std::int64_t begin) {
  return std::make_unique<PlainStream>(std::move(file), static_cast<std::uint64_t>(begin));
}

std::unique_ptr<ByteStream> open_byte_stream(std::shared_ptr<const io::ReadableFile> file,
                                             const std::string& name,
                                             const StreamOptions& options) {
  const Compression compression = compression_of(*file, name);
  if (compression == Compression::none) return plain_stream(std::move(file));
  if (compression == Compression::gzip) return io::gzip_stream(std::move(file), name, options);
  return io::zstd_stream(std::move(file), name, options);
}

}  // namespace meshwright::data
