// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/chunk.h"

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::io::zarr {
namespace {

// As large as it says, and all zeros, which nobody may try to hold.
class Hole : public ReadableFile {
 public:
  explicit Hole(std::uint64_t num_bytes) : num_bytes_(num_bytes) {}
  std::uint64_t num_bytes() const override { return num_bytes_; }
  void read(std::uint64_t, std::span<std::byte> out) const override {
    ASSERT_LT(out.size(), std::size_t{1} << 20);
    std::ranges::fill(out, std::byte{0});
  }

 private:
  std::uint64_t num_bytes_;
};

constexpr std::uint64_t kHuge = std::uint64_t{1} << 50;

std::optional<ErrorCode> code_of_reading(const ReadableFile& file, const ChunkFormat& format) {
  std::vector<std::byte> out(8);
  return code_of([&] { read_chunk(file, format, DType::u8, {{0, 8}}, {{{0, 8}}, out.data()}); });
}

TEST(ReadChunk, HoldsNoFileThatIsMuchLargerThanTheChunk) {
  EXPECT_EQ(code_of_reading(Hole(kHuge), {}), ErrorCode::data_loss);
  EXPECT_EQ(code_of_reading(Hole(kHuge), {.codecs = {zstd_codec()}}), ErrorCode::data_loss);
  EXPECT_EQ(code_of_reading(Hole(kHuge), {.is_big_endian = true}), ErrorCode::data_loss);
}

TEST(ReadChunk, HoldsNoInnerChunkThatIsMuchLargerThanItShouldBe) {
  // The index is at the start: one chunk at 0 with as many bytes as there are in 32 bits.
  class Lying : public Hole {
   public:
    Lying() : Hole(kHuge) {}
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
      Hole::read(offset, out);
      if (offset == 0 && out.size() == 16) out[12] = std::byte{1};
    }
  };
  auto plain = std::make_shared<ChunkFormat>();
  ChunkFormat format{
      .inner =
          InnerChunks{.dims = {8}, .format = plain, .index_codecs = {}, .is_index_at_start = true}};
  EXPECT_EQ(code_of_reading(Lying(), format), ErrorCode::data_loss);
  format.codecs = {crc32c_codec()};
  EXPECT_EQ(code_of_reading(Lying(), format), ErrorCode::data_loss);
}

}  // namespace
}  // namespace meshwright::io::zarr
