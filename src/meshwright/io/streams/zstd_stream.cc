// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <zstd.h>
#include <zstd_errors.h>

#include "meshwright/base/str.h"
#include "meshwright/io/streams/compressed_input.h"

namespace meshwright::io {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdStream : public ByteStream {
 public:
  ZstdStream(CompressedInput input, int max_window_log)
      : input_(std::move(input)), context_(ZSTD_createDCtx()), max_window_log_(max_window_log) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, max_window_log);
  }

  std::size_t read(std::span<std::byte> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos == 0 && !out.empty()) {
      if (from_.pos == from_.size) refill();
      if (is_at_end_ && is_between_frames_) return 0;
      decompress(to);
    }
    return to.pos;
  }

 private:
  void refill() {
    const std::span<const std::byte> bytes = input_.next();
    is_at_end_ = bytes.empty();
    from_ = {bytes.data(), bytes.size(), 0};
  }

  void decompress(ZSTD_outBuffer& to) {
    const std::size_t num_in_before = from_.pos;
    const std::size_t missing = ZSTD_decompressStream(context_.get(), &to, &from_);
    if (ZSTD_isError(missing) != 0) fail_with(missing);
    is_between_frames_ = missing == 0;
    const bool is_stuck = to.pos == 0 && from_.pos == num_in_before;
    if (is_at_end_ && is_stuck && !is_between_frames_) input_.fail_at(0, "zstd", "truncated");
  }

  [[noreturn]] void fail_with(std::size_t code) const {
    std::string problem = ZSTD_getErrorName(code);
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
      problem = str("the frame needs a window of more than 2^", max_window_log_, " bytes");
    input_.fail_at(from_.size - from_.pos, "zstd", problem);
  }

  CompressedInput input_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  int max_window_log_;
  ZSTD_inBuffer from_{nullptr, 0, 0};
  bool is_between_frames_ = true;
  bool is_at_end_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> zstd_stream(std::shared_ptr<const ReadableFile> file,
                                        const std::string& name,
                                        const StreamOptions& options) {
  return std::make_unique<ZstdStream>(CompressedInput(std::move(file), name, options),
                                      options.max_zstd_window_log);
}

}  // namespace meshwright::io
