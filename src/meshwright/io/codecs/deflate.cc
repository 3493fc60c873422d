// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <libdeflate.h>

#include "meshwright/base/check.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

struct FreeDeflate {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

class DeflateCodec : public Codec {
 public:
  DeflateCodec(DeflateFraming framing, int level) : framing_(framing), level_(level) {
    MW_CHECK(level >= 0 && level <= 12, name(), ": level ", level, " is not between 0 and 12");
  }

  Buffer encode(std::span<const std::byte> bytes) const override {
    std::unique_ptr<libdeflate_compressor, FreeDeflate> c(libdeflate_alloc_compressor(level_));
    bool is_gzip = framing_ == DeflateFraming::gzip;
    Buffer out(is_gzip ? libdeflate_gzip_compress_bound(c.get(), bytes.size())
                       : libdeflate_zlib_compress_bound(c.get(), bytes.size()));
    auto* compress = is_gzip ? libdeflate_gzip_compress : libdeflate_zlib_compress;
    out.truncate(compress(c.get(), bytes.data(), bytes.size(), out.data(), out.size()));
    return out;
  }

  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::unique_ptr<libdeflate_decompressor, FreeDeflate> d(libdeflate_alloc_decompressor());
    auto* decompress = framing_ == DeflateFraming::gzip ? libdeflate_gzip_decompress_ex
                                                        : libdeflate_zlib_decompress_ex;
    std::size_t num_done = 0;
    do {
      std::size_t num_read = 0;
      std::size_t num_written = 0;
      libdeflate_result result =
          decompress(d.get(), stored.data(), stored.size(), out.data() + num_done,
                     out.size() - num_done, &num_read, &num_written);
      if (result == LIBDEFLATE_INSUFFICIENT_SPACE) fail_size(name(), out.size(), out.size() + 1);
      if (result != LIBDEFLATE_SUCCESS) fail_damaged(name(), "corrupt data, checksum or length");
      num_done += num_written;
      stored = stored.subspan(num_read);
    } while (framing_ == DeflateFraming::gzip && !stored.empty());
    if (!stored.empty()) fail_damaged(name(), str(stored.size(), " bytes after its end"));
    if (num_done != out.size()) fail_size(name(), out.size(), num_done);
  }

  std::unique_ptr<ByteStream> open_stream(const std::shared_ptr<const ReadableFile>& file,
                                          const std::string& name) const override {
    return framing_ == DeflateFraming::gzip ? gzip_stream(file, name) : zlib_stream(file, name);
  }

  // Two bits can encode 258 bytes.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, std::uint64_t{4} * 258);
  }

 private:
  std::string_view name() const { return framing_ == DeflateFraming::gzip ? "gzip" : "zlib"; }

  DeflateFraming framing_;
  int level_;
};

}  // namespace

CodecPtr deflate_codec(DeflateFraming framing, int level) {
  return std::make_shared<DeflateCodec>(framing, level);
}

}  // namespace meshwright::io
