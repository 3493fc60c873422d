// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/blosc_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <blosc.h>

#include "meshwright/base/str.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io {
namespace {

// A buffer of blosc: a header; the offset of each block; the blocks, in any order.
constexpr std::size_t kHeaderBytes = BLOSC_MIN_HEADER_LENGTH;
constexpr std::size_t kFlags = 2, kNumBytes = 4, kBlockBytes = 8, kNumStored = 12;  // offsets
constexpr std::byte kCopied{0x2};    // the bytes follow the header unchanged
constexpr std::byte kUnsplit{0x10};  // the bytes of a block are one stream

using Header = std::array<std::byte, kHeaderBytes>;

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t out = 0;
  std::memcpy(&out, bytes.data() + offset, sizeof(out));
  return out;
}

void set_number(std::span<std::byte> bytes, std::size_t offset, std::uint64_t value) {
  const auto number = static_cast<std::uint32_t>(value);
  std::memcpy(bytes.data() + offset, &number, sizeof(number));
}

class BloscBlocks : public EncodedBlocks {
 public:
  explicit BloscBlocks(const ReadableFile& file) {
    if (file.num_bytes() < kHeaderBytes) fail_damaged("blosc", "too short for its header");
    file.read(0, header_);
    num_bytes_ = number_at(header_, kNumBytes);
    block_bytes_ = number_at(header_, kBlockBytes);
    num_stored_ = number_at(header_, kNumStored);
    if (num_stored_ != file.num_bytes()) {
      fail_damaged("blosc",
                   str("its header says ", num_stored_, " bytes, found ", file.num_bytes()));
    }
    if (block_bytes_ == 0 || block_bytes_ > num_bytes_) fail_damaged("blosc", "invalid header");
    if (is_copied()) {
      if (num_stored_ != kHeaderBytes + num_bytes_) fail_damaged("blosc", "invalid header");
    } else {
      read_starts(file);
    }
  }

  std::uint64_t num_bytes() const override { return num_bytes_; }
  std::uint64_t block_bytes() const override { return block_bytes_; }

  Buffer read(const ReadableFile& file, std::uint64_t block) const override {
    const std::uint64_t size = std::min(block_bytes_, num_bytes_ - block * block_bytes_);
    if (is_copied()) {
      Buffer out(size);
      file.read(kHeaderBytes + block * block_bytes_, out.span());
      return out;
    }
    const std::uint64_t start = starts_[block];
    const auto next = std::ranges::upper_bound(ends_, start);
    return blosc_codec({})->decode(alone(file, start, *next, size).span(), size);
  }

 private:
  bool is_copied() const { return (header_[kFlags] & kCopied) != std::byte{0}; }

  void read_starts(const ReadableFile& file) {
    const std::uint64_t num_blocks = (num_bytes_ + block_bytes_ - 1) / block_bytes_;
    const std::uint64_t first = kHeaderBytes + num_blocks * sizeof(std::uint32_t);
    if (first > num_stored_) fail_damaged("blosc", "too short for its blocks");
    starts_.resize(num_blocks);
    file.read(kHeaderBytes, std::as_writable_bytes(std::span(starts_)));
    for (const std::uint32_t start : starts_)
      if (start < first || start >= num_stored_) fail_damaged("blosc", "invalid block");
    ends_ = starts_;
    ends_.push_back(static_cast<std::uint32_t>(num_stored_));
    std::ranges::sort(ends_);
  }

  // Returns a buffer of blosc with only the block that is stored in [start, end).
  Buffer alone(const ReadableFile& file,
               std::uint64_t start,
               std::uint64_t end,
               std::uint64_t size) const {
    constexpr std::size_t kBegin = kHeaderBytes + sizeof(std::uint32_t);
    Buffer out(kBegin + (end - start));
    std::ranges::copy(header_, out.data());
    // A last block that is shorter than the others is never split.
    if (size < block_bytes_) out.data()[kFlags] |= kUnsplit;
    set_number(out.span(), kNumBytes, size);
    set_number(out.span(), kBlockBytes, size);
    set_number(out.span(), kNumStored, out.size());
    set_number(out.span(), kHeaderBytes, kBegin);
    file.read(start, out.span().subspan(kBegin));
    return out;
  }

  Header header_;
  std::uint64_t num_bytes_ = 0, block_bytes_ = 0, num_stored_ = 0;
  std::vector<std::uint32_t> starts_;  // of the stored blocks
  std::vector<std::uint32_t> ends_;    // all starts and the end of the file, sorted
};

}  // namespace

std::unique_ptr<const EncodedBlocks> open_blosc_blocks(const ReadableFile& file) {
  return std::make_unique<BloscBlocks>(file);
}

}  // namespace meshwright::io
