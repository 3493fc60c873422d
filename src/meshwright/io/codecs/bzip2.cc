// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/bzip2.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <bzlib.h>

#include "meshwright/base/check.h"

namespace meshwright::io {
namespace {

// The library counts in 32 bits and takes its input as `char*`, which it does not modify.
constexpr std::size_t kMaxStep = std::numeric_limits<unsigned>::max();

char* as_input(std::span<const std::byte> bytes) {
  return reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
}

// Passes the remaining input and output to the next call.
void offer(bz_stream& stream, std::span<const std::byte> in, std::span<std::byte> out) {
  stream.next_in = as_input(in);
  stream.avail_in = static_cast<unsigned>(std::min(in.size(), kMaxStep));
  stream.next_out = reinterpret_cast<char*>(out.data());
  stream.avail_out = static_cast<unsigned>(std::min(out.size(), kMaxStep));
}

std::size_t num_taken(const bz_stream& stream, std::span<const std::byte> in) {
  return static_cast<std::size_t>(stream.next_in - as_input(in));
}

std::size_t num_given(const bz_stream& stream, std::span<const std::byte> out) {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(stream.next_out) - out.data());
}

struct EndCompress {
  void operator()(bz_stream* stream) const { BZ2_bzCompressEnd(stream); }
};
struct EndDecompress {
  void operator()(bz_stream* stream) const { BZ2_bzDecompressEnd(stream); }
};

class Bzip2Codec : public Codec {
 public:
  explicit Bzip2Codec(int level) : level_(level) {
    MW_CHECK(level >= 1 && level <= 9, "bzip2: level ", level, " is not between 1 and 9");
  }

  Buffer encode(std::span<const std::byte> bytes) const override {
    bz_stream stream = {};
    if (BZ2_bzCompressInit(&stream, level_, 0, 0) != BZ_OK) throw std::bad_alloc();
    const std::unique_ptr<bz_stream, EndCompress> end(&stream);
    Buffer out(bytes.size() + bytes.size() / 100 + 600);  // the documented upper bound
    std::span<const std::byte> in = bytes;
    std::size_t num_done = 0;
    int result = BZ_RUN_OK;
    do {
      const std::span<std::byte> room = out.span().subspan(num_done);
      offer(stream, in, room);
      result = BZ2_bzCompress(&stream, in.size() > kMaxStep ? BZ_RUN : BZ_FINISH);
      if (result < 0) fail(ErrorCode::internal, "bzip2: error ", result);
      in = in.subspan(num_taken(stream, in));
      num_done += num_given(stream, room);
    } while (result != BZ_STREAM_END);
    out.truncate(num_done);
    return out;
  }

  void decode_into(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::size_t num_done = 0;
    do {
      num_done += decode_stream(stored, out.subspan(num_done));
    } while (!stored.empty());
    if (num_done != out.size()) fail_size("bzip2", out.size(), num_done);
  }

  // A block holds 900 kB after its first stage, which turns up to 255 equal bytes into 5.
  std::uint64_t max_decoded_bytes(std::uint64_t num_stored) const override {
    return times_at_most(num_stored, 900'000 * 51);
  }

 private:
  // Removes one stream from the front of `stored`. Returns its decoded size.
  static std::size_t decode_stream(std::span<const std::byte>& stored, std::span<std::byte> out) {
    bz_stream stream = {};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
    const std::unique_ptr<bz_stream, EndDecompress> end(&stream);
    std::size_t num_done = 0;
    std::byte beyond = {};  // detects one byte too many
    int result = BZ_OK;
    while (result != BZ_STREAM_END) {
      std::span<std::byte> room = out.subspan(num_done);
      const bool is_full = room.empty();
      if (is_full) room = {&beyond, 1};
      offer(stream, stored, room);
      result = BZ2_bzDecompress(&stream);
      if (result != BZ_OK && result != BZ_STREAM_END) {
        fail_damaged("bzip2", "corrupt data or checksum mismatch");
      }
      const std::size_t taken = num_taken(stream, stored), given = num_given(stream, room);
      if (is_full && given > 0) fail_size("bzip2", out.size(), out.size() + 1);
      if (result == BZ_OK && taken == 0 && given == 0) fail_damaged("bzip2", "truncated");
      stored = stored.subspan(taken);
      num_done += given;
    }
    return num_done;
  }

  int level_;
};

}  // namespace

CodecPtr bzip2_codec(int level) {
  return std::make_shared<Bzip2Codec>(level);
}

}  // namespace meshwright::io
