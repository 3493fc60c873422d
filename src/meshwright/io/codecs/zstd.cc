// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <zstd.h>

#include "meshwright/base/check.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdCodec : public Codec {
 public:
  explicit ZstdCodec(const ZstdOptions& options) : options_(options) {
    MW_CHECK(options.level >= ZSTD_minCLevel() && options.level <= ZSTD_maxCLevel(), "zstd: level ",
             options.level, "; it is between ", ZSTD_minCLevel(), " and ", ZSTD_maxCLevel());
  }

  Buffer encode(std::span<const std::byte> bytes) const override {
    std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options_.level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, options_.checksum ? 1 : 0);
    Buffer out(ZSTD_compressBound(bytes.size()));
    std::size_t size =
        ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0) fail(ErrorCode::internal, "zstd: ", ZSTD_getErrorName(size));
    out.truncate(size);
    return out;
  }

  // Frames need not say how much they hold, and there may be several: they are read as a stream.
  Buffer decode(std::span<const std::byte> stored, std::uint64_t num_bytes) const override {
    std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
    Buffer out(num_bytes);
    ZSTD_inBuffer from{stored.data(), stored.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    std::size_t missing = 1;  // of the frame being read, in a unit of zstd's own
    while (from.pos < from.size) {
      std::size_t before = from.pos + to.pos;
      missing = ZSTD_decompressStream(context.get(), &to, &from);
      if (ZSTD_isError(missing) != 0) fail_damaged("zstd", ZSTD_getErrorName(missing));
      if (missing != 0 && from.pos + to.pos == before) fail_size("zstd", num_bytes, num_bytes + 1);
    }
    // The last bytes of a frame may still wait inside.
    while (missing != 0 && to.pos < to.size) {
      std::size_t before = to.pos;
      missing = ZSTD_decompressStream(context.get(), &to, &from);
      if (ZSTD_isError(missing) != 0) fail_damaged("zstd", ZSTD_getErrorName(missing));
      if (to.pos == before) break;
    }
    if (missing != 0) fail_damaged("zstd", "ends too early");
    if (to.pos != num_bytes) fail_size("zstd", num_bytes, to.pos);
    return out;
  }

 private:
  ZstdOptions options_;
};

}  // namespace

CodecPtr zstd_codec(const ZstdOptions& options) {
  return std::make_shared<ZstdCodec>(options);
}

}  // namespace meshwright::io
