// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <blosc.h>

#include "meshwright/base/check.h"
#include "meshwright/io/codecs/blosc_blocks.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::io {
namespace {

// Decodes one block after the other.
class BlockStream : public ByteStream {
 public:
  BlockStream(std::shared_ptr<const ReadableFile> file, std::unique_ptr<const EncodedBlocks> blocks)
      : file_(std::move(file)), blocks_(std::move(blocks)) {}

  std::size_t read(std::span<std::byte> out) override {
    if (num_taken_ == block_.size()) {
      if (next_ * blocks_->block_bytes() >= blocks_->num_bytes()) return 0;
      block_ = blocks_->read(*file_, next_++);
      num_taken_ = 0;
    }
    const std::span<const std::byte> left = block_.span().subspan(num_taken_);
    const std::size_t num_bytes = std::min(left.size(), out.size());
    std::ranges::copy(left.first(num_bytes), out.begin());
    num_taken_ += num_bytes;
    return num_bytes;
  }

 private:
  std::shared_ptr<const ReadableFile> file_;
  std::unique_ptr<const EncodedBlocks> blocks_;
  std::uint64_t next_ = 0;
  Buffer block_{0};
  std::size_t num_taken_ = 0;
};

class BloscCodec : public Codec {
 public:
  explicit BloscCodec(const BloscOptions& options) : options_(options) {
    MW_CHECK(::blosc_compname_to_compcode(options.compressor.c_str()) >= 0,
             "blosc: unknown compressor '", options.compressor,
             "'\navailable: ", ::blosc_list_compressors());
    MW_CHECK(options.level >= 0 && options.level <= 9, "blosc: level ", options.level,
             " is not between 0 and 9");
  }

  Buffer encode(std::span<const std::byte> bytes) const override {
    MW_CHECK(bytes.size() <= BLOSC_MAX_BUFFERSIZE, "blosc: a chunk of ", bytes.size(),
             " bytes exceeds the limit of ", BLOSC_MAX_BUFFERSIZE, "\nuse smaller chunks");
    Buffer out(bytes.size() + BLOSC_MAX_OVERHEAD);
    // Elements larger than BLOSC_MAX_TYPESIZE are shuffled as bytes, as other writers do.
    std::size_t element_bytes =
        options_.element_bytes > BLOSC_MAX_TYPESIZE ? 1 : options_.element_bytes;
    int size = ::blosc_compress_ctx(options_.level, static_cast<int>(options_.shuffle),
                                    element_bytes, bytes.size(), bytes.data(), out.data(),
                                    out.size(), options_.compressor.c_str(), options_.block_bytes,
                                    /*numinternalthreads=*/1);
    if (size <= 0) fail(ErrorCode::internal, "blosc: compression failed with ", size);
    out.truncate(static_cast<std::size_t>(size));
    return out;
  }

  // Validates the header against the actual size before passing it to blosc.
  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    if (stored.size() < BLOSC_MIN_HEADER_LENGTH) fail_damaged("blosc", "too short for its header");
    std::size_t num_held = 0;
    std::size_t num_stored = 0;
    std::size_t block_bytes = 0;
    ::blosc_cbuffer_sizes(stored.data(), &num_held, &num_stored, &block_bytes);
    if (num_stored != stored.size()) {
      fail_damaged("blosc", str("its header says ", num_stored, " bytes, found ", stored.size()));
    }
    if (num_held != out.size()) fail_size("blosc", out.size(), num_held);
    if (::blosc_cbuffer_validate(stored.data(), stored.size(), &num_held) != 0) {
      fail_damaged("blosc", "invalid header");
    }
    int size = ::blosc_decompress_ctx(stored.data(), out.data(), out.size(), 1);
    if (size < 0 || static_cast<std::size_t>(size) != out.size()) {
      fail_damaged("blosc", "cannot decompress a block");
    }
  }

  std::unique_ptr<const EncodedBlocks> open_blocks(const ReadableFile& file) const override {
    return open_blosc_blocks(file);
  }

  std::unique_ptr<ByteStream> open_stream(const std::shared_ptr<const ReadableFile>& file,
                                          const std::string& /*name*/) const override {
    std::unique_ptr<const EncodedBlocks> blocks = open_blosc_blocks(*file);
    if (blocks == nullptr) return nullptr;
    return std::make_unique<BlockStream>(file, std::move(blocks));
  }

  // Among blosc's compressors, zstd reaches the highest ratio.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, std::uint64_t{32} << 10);
  }

 private:
  BloscOptions options_;
};

}  // namespace

CodecPtr blosc_codec(const BloscOptions& options) {
  return std::make_shared<BloscCodec>(options);
}

}  // namespace meshwright::io
