// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>

#include <zstd.h>

#include "meshwright/base/check.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Frames need not state their size, and there may be several, so they are decoded as a stream.
class ZstdStream {
 public:
  explicit ZstdStream(std::span<const std::byte> stored)
      : context_(ZSTD_createDCtx()), from_{stored.data(), stored.size(), 0} {}

  // Fills `out` as far as there are bytes, and returns their number.
  std::size_t read(std::span<std::byte> out) {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    bool has_moved = false;
    do {
      const std::size_t before = from_.pos + to.pos;
      missing_ = ZSTD_decompressStream(context_.get(), &to, &from_);
      if (ZSTD_isError(missing_) != 0) fail_damaged("zstd", ZSTD_getErrorName(missing_));
      has_moved = from_.pos + to.pos != before;
    } while (has_moved && (from_.pos < from_.size || missing_ != 0));
    if (from_.pos == from_.size && missing_ != 0 && to.pos < to.size)
      fail_damaged("zstd", "truncated");
    return to.pos;
  }
  bool is_at_end() const { return from_.pos == from_.size && missing_ == 0; }

 private:
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  ZSTD_inBuffer from_;
  std::size_t missing_ = 0;  // bytes left in the current frame, as estimated by zstd
};

class ZstdCodec : public Codec {
 public:
  explicit ZstdCodec(const ZstdOptions& options) : options_(options) {
    MW_CHECK(options.level >= ZSTD_minCLevel() && options.level <= ZSTD_maxCLevel(), "zstd: level ",
             options.level, " is not between ", ZSTD_minCLevel(), " and ", ZSTD_maxCLevel());
  }

  Buffer encode(std::span<const std::byte> bytes) const override {
    std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options_.level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options_.checksum ? 1 : 0);
    Buffer out(ZSTD_compressBound(bytes.size()));
    std::size_t size =
        ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0) fail(ErrorCode::internal, "zstd: ", ZSTD_getErrorName(size));
    out.truncate(size);
    return out;
  }

  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    ZstdStream stream(stored);
    const std::size_t size = stream.read(out);
    if (!stream.is_at_end()) fail_size("zstd", out.size(), out.size() + 1);
    if (size != out.size()) fail_size("zstd", out.size(), size);
  }

  std::unique_ptr<ByteStream> open_stream(const std::shared_ptr<const ReadableFile>& file,
                                          const std::string& name) const override {
    return zstd_stream(file, name);
  }

  // The smallest block, four bytes, can encode 128 KiB.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, std::uint64_t{32} << 10);
  }

 private:
  ZstdOptions options_;
};

}  // namespace

std::string decode_zstd(std::span<const std::byte> stored, std::uint64_t max_bytes) {
  ZstdStream stream(stored);
  std::string out;
  while (true) {
    const std::size_t before = out.size();
    if (before > max_bytes) fail_size("zstd", max_bytes, before);
    constexpr std::size_t kStep = std::size_t{64} << 10;
    out.resize(before + std::max(kStep, before));
    const auto room = std::as_writable_bytes(std::span(out)).subspan(before);
    const std::size_t size = stream.read(room);
    out.resize(before + size);
    if (stream.is_at_end()) break;
    if (size == 0) fail_damaged("zstd", "truncated");
  }
  if (out.size() > max_bytes) fail_size("zstd", max_bytes, out.size());
  return out;
}

CodecPtr zstd_codec(const ZstdOptions& options) {
  return std::make_shared<ZstdCodec>(options);
}

}  // namespace meshwright::io
