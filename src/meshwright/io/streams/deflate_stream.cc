// SPDX-License-Identifier: Apache-2.0
// gzip and zlib by ISA-L, which inflates 2.6 times as fast as zlib.
#include <algorithm>
#include <memory>
#include <utility>

#include <isa-l/igzip_lib.h>

#include "meshwright/io/streams/compressed_input.h"

namespace meshwright::io {
namespace {

std::string_view meaning_of(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unsupported compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "checksum mismatch";
    default:
      return "corrupt";
  }
}

enum class Framing { gzip, zlib };

class DeflateStream : public ByteStream {
 public:
  DeflateStream(CompressedInput input, Framing framing)
      : input_(std::move(input)), framing_(framing), state_(std::make_unique<inflate_state>()) {
    isal_inflate_init(state_.get());
    expect_header();
  }

  std::size_t read(std::span<std::byte> out) override {
    std::size_t num_out = 0;
    while (num_out == 0 && !out.empty()) {
      if (state_->avail_in == 0) refill();
      if (is_between_members_ && !begin_member()) return 0;
      num_out = inflate(out);
    }
    return num_out;
  }

 private:
  void refill() {
    const std::span<const std::byte> bytes = input_.next();
    is_at_end_ = bytes.empty();
    // ISA-L never writes to its input.
    state_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
    state_->avail_in = static_cast<std::uint32_t>(bytes.size());
  }

  void expect_header() { state_->crc_flag = framing_ == Framing::gzip ? ISAL_GZIP : ISAL_ZLIB; }
  [[noreturn]] void fail_here(std::string_view problem) const {
    input_.fail_at(state_->avail_in, framing_ == Framing::gzip ? "gzip" : "zlib", problem);
  }

  // False at the end of the file. Zeros after the last member are padding, as of tapes.
  bool begin_member() {
    while (true) {
      while (framing_ == Framing::gzip && state_->avail_in > 0 && *state_->next_in == 0) {
        is_padding_ = true;
        ++state_->next_in;
        --state_->avail_in;
      }
      if (state_->avail_in > 0) break;
      if (is_at_end_) return false;
      refill();
    }
    if (is_padding_ || framing_ == Framing::zlib) fail_here("unexpected bytes after the end");
    isal_inflate_reset(state_.get());
    expect_header();
    is_between_members_ = false;
    return true;
  }

  std::size_t inflate(std::span<std::byte> out) {
    const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), 1U << 30U));
    state_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_->avail_out = room;
    const std::uint32_t num_in_before = state_->avail_in;
    const int code = isal_inflate(state_.get());
    if (code < 0) fail_here(meaning_of(code));
    if (code == ISAL_NEED_DICT) fail_here("needs a dictionary");
    const std::size_t num_out = room - state_->avail_out;
    is_between_members_ = state_->block_state == ISAL_BLOCK_FINISH;
    const bool is_stuck = num_out == 0 && state_->avail_in == num_in_before;
    if (is_at_end_ && is_stuck && !is_between_members_) fail_here("truncated");
    return num_out;
  }

  CompressedInput input_;
  Framing framing_;
  std::unique_ptr<inflate_state> state_;  // 80 KiB
  bool is_between_members_ = false;
  bool is_padding_ = false;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gzip_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options) {
  return std::make_unique<DeflateStream>(CompressedInput(std::move(file), name, options),
                                         Framing::gzip);
}

std::unique_ptr<ByteStream> zlib_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options) {
  return std::make_unique<DeflateStream>(CompressedInput(std::move(file), name, options),
                                         Framing::zlib);
}

}  // namespace meshwright::io
