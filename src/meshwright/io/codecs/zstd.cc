// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <zstd.h>

#include "meshwright/base/check.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
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

  // Frames need not state their size, and there may be several, so the input is read as a stream.
  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
    ZSTD_inBuffer from{stored.data(), stored.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    std::size_t missing = 0;  // bytes left in the current frame, as estimated by zstd
    bool has_moved = false;
    do {
      std::size_t before = from.pos + to.pos;
      missing = ZSTD_decompressStream(context.get(), &to, &from);
      if (ZSTD_isError(missing) != 0) fail_damaged("zstd", ZSTD_getErrorName(missing));
      has_moved = from.pos + to.pos != before;
    } while (has_moved && (from.pos < from.size || missing != 0));
    if (from.pos < from.size) fail_size("zstd", out.size(), out.size() + 1);
    if (missing != 0) fail_damaged("zstd", "truncated");
    if (to.pos != out.size()) fail_size("zstd", out.size(), to.pos);
  }

  // The smallest block, four bytes, can encode 128 KiB.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, std::uint64_t{32} << 10);
  }

 private:
  ZstdOptions options_;
};

}  // namespace

CodecPtr zstd_codec(const ZstdOptions& options) {
  return std::make_shared<ZstdCodec>(options);
}

}  // namespace meshwright::io
