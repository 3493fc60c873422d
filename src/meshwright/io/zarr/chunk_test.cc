// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/chunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::io::zarr {
namespace {

using testing::HasSubstr;

// A file of any size that contains only zeros, too large to hold in memory.
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

// The rows 5 and 6 of a chunk of 2^18 rows, which is much larger than what `Hole` lets through.
TEST(ReadChunk, ReadsOnlyTheRowsOfAChunkThatIsStoredAsItIs) {
  class Counting : public Hole {
   public:
    Counting() : Hole(std::uint64_t{1} << 30) {}
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
      Hole::read(offset, out);
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>((offset + i) >> 12);
    }
  };
  const Ranges where = {{0, 1 << 18}, {0, 1 << 10}}, rows = {{5, 7}, {0, 1 << 10}};
  std::vector<std::byte> out(2 << 12);
  read_chunk(Counting(), {}, DType::f32, where, {rows, out.data()});
  EXPECT_EQ(out.front(), std::byte{5});
  EXPECT_EQ(out.back(), std::byte{6});
  // Part of one row, in its place in a larger target.
  const Ranges target = {{5, 7}, {0, 16}};
  std::vector<std::byte> small(2 * 16 * 4, std::byte{9});
  read_chunk(Counting(), {}, DType::f32, {{6, 6 + (1 << 18)}, {0, 1 << 10}},
             {target, small.data()});
  EXPECT_EQ(small[63], std::byte{9});
  EXPECT_EQ(small[64], std::byte{0});
}

TEST(ReadChunk, HoldsNoInnerChunkThatIsMuchLargerThanItShouldBe) {
  // The index is at the start: one chunk at 0 with a size of 32 one bits.
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

Array open_array(const std::shared_ptr<MemoryFileSystem>& files, const std::string& json) {
  write_text(*files, json.find("\"zarr_format\":3") == json.npos ? ".zarray" : "zarr.json", json);
  return Array::open(files, "");
}

std::string message_of_reading(const Array& array) {
  return message_of([&] { array.read(); });
}

// No machine has room for these arrays, so the sizes of the files must be checked first.
TEST(Array, MakesNoRoomForWhatItsFilesCannotHold) {
  const std::string v2 =
      R"({"zarr_format":2,"shape":[1099511627776],"chunks":[1099511627776],"dtype":"|u1",)"
      R"("fill_value":1,"order":"C","filters":null,"compressor":)";
  for (const char* compressor :
       {"null", R"({"id":"zstd"})", R"({"id":"gzip"})", R"({"id":"zlib"})", R"({"id":"blosc"})"}) {
    auto files = std::make_shared<MemoryFileSystem>();
    const Array array = open_array(files, v2 + compressor + "}");
    write_text(*files, "0", "x");
    EXPECT_THAT(message_of_reading(array),
                HasSubstr("0: has 1 bytes, too few for a chunk of 1099511627776"))
        << compressor;
  }
}

TEST(Array, MakesNoRoomForInnerChunksWithoutAnIndex) {
  auto files = std::make_shared<MemoryFileSystem>();
  const Array array = open_array(
      files, R"({"zarr_format":3,"node_type":"array","data_type":"uint8","shape":[1099511627776],)"
             R"("chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1099511627776]}},)"
             R"("fill_value":1,"chunk_key_encoding":"v2","codecs":[{"name":"sharding_indexed",)"
             R"("configuration":{"chunk_shape":[1073741824],"codecs":["bytes"],)"
             R"("index_codecs":["bytes"]}}]})");
  write_text(*files, "0", "x");
  EXPECT_THAT(message_of_reading(array), HasSubstr("0: has 1 bytes, too few for a chunk"));
}

TEST(Array, FillsAPartOfALargerTarget) {
  auto files = std::make_shared<MemoryFileSystem>();
  const Array array = open_array(
      files, R"({"zarr_format":2,"shape":[4,4],"chunks":[4,4],"dtype":"|u1","fill_value":7,)"
             R"("order":"C","filters":null,"compressor":null})");
  std::vector<std::byte> out(16);
  array.read_into({{1, 3}, {2, 4}}, {{{0, 4}, {0, 4}}, out.data()});
  for (std::size_t i = 0; i < 16; ++i) {
    const bool is_in = (i / 4 == 1 || i / 4 == 2) && i % 4 >= 2;
    EXPECT_EQ(out[i], std::byte(is_in ? 7 : 0)) << i;
  }
}

}  // namespace
}  // namespace meshwright::io::zarr
