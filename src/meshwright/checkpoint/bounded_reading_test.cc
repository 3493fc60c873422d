// SPDX-License-Identifier: Apache-2.0
// Files that declare more than they contain: declared sizes are checked before memory or time is
// spent.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/pieces.h"
#include "meshwright/checkpoint/contents/statistics.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/checkpoint/formats/axlearn_index.h"
#include "meshwright/io/forwarding_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::HasSubstr;

std::string data_loss_message(auto&& action) {
  const Error error = thrown_by(action);
  EXPECT_EQ(error.code(), ErrorCode::data_loss);
  return error.what();
}

// Returns an array of bytes stored in "w".
StoredArray array_of(const Dims& dims, const Dims& chunk, Files& files) {
  files = std::make_shared<io::MemoryFileSystem>();
  files->make_folder("w");
  io::write_text(*files, "w/.zarray",
                 str("{\"zarr_format\":2,\"shape\":", dims, ",\"chunks\":", chunk,
                     ",\"dtype\":\"|u1\",\"fill_value\":0,\"order\":\"C\",\"filters\":null,",
                     "\"compressor\":null}"));
  return stored_zarr(files, "w", {DType::u8, dims});
}

TEST(BoundedReading, AnEmptyArrayOfAHugeGridHasNoChunks) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  for (const Dims& dims : {Dims{kHuge, 0}, Dims{0, kHuge}, Dims{kHuge, 0, 8}}) {
    Files files;
    const StoredArray array = array_of(dims, Dims(dims.size(), 1), files);
    EXPECT_EQ(array.read().num_bytes(), 0u);
    EXPECT_EQ(read_parts(array, {whole_ranges(dims)}).parts[0].value.num_bytes(), 0u);
  }
}

TEST(BoundedReading, AGridThatCannotBeCountedIsDamage) {
  Files files;
  const Dims dims = {std::int64_t{1} << 28, std::int64_t{1} << 28};
  const StoredArray array = array_of(dims, {1, 1}, files);
  EXPECT_THAT(data_loss_message([&] {
                array.read({{0, 1}, {0, 1}});
              }),
              HasSubstr("at most 4194304"));
}

TEST(BoundedReading, MakesNoRoomForMissingOrShortFiles) {
  Files files;
  const Dims dims = {std::int64_t{1} << 34};  // in 1024 chunks
  const StoredArray array = array_of(dims, {std::int64_t{1} << 24}, files);
  EXPECT_THAT(data_loss_message([&] { read_parts(array, {whole_ranges(dims)}); }),
              HasSubstr("w/0: is missing"));
  io::write_text(*files, "w/0", "short");
  EXPECT_THAT(data_loss_message([&] { read_parts(array, {whole_ranges(dims)}); }),
              HasSubstr("w/0: has 5 bytes, too few for a chunk of 16777216"));
}

// Inspection by ckpt never exceeds its budget, whatever the chunks declare.
TEST(BoundedReading, RefusesToInspectLargeChunks) {
  Files files;
  const Dims dims = {(std::int64_t{2} << 30) + 1};
  const StoredArray array = array_of(dims, dims, files);
  for (const auto& action : std::vector<std::function<void()>>{
           [&] { statistics(array); },
           [&] {
             Stored stored;
             stored.arrays["w"] = array;
             differing_arrays(stored, stored);
           },
       }) {
    const Error error = thrown_by([&] { action(); });
    EXPECT_EQ(error.code(), ErrorCode::unimplemented);
    EXPECT_THAT(error.what(), HasSubstr("the limit for inspection is 2147483648 bytes"));
  }
}

TEST(BoundedReading, CutsAsALongListOfPiecesWould) {
  const Ranges part = {{3, 10}, {0, 4}, {5, 6}};
  const Dims chunk = {4, 3, 7};
  const Pieces pieces(part, chunk);
  std::vector<Ranges> found;
  for (std::int64_t i = 0; i < pieces.size(); ++i)
    found.push_back(pieces.at(i));
  EXPECT_EQ(found, pieces_of(part, chunk));
  EXPECT_EQ(Pieces({{0, std::int64_t{1} << 40}, {0, 0}}, {1, 1}).size(), 0);
  EXPECT_EQ(Pieces({}, {}).size(), 1);
}

// Verification does not hold a file in memory.
TEST(BoundedReading, VerifiesFilesOfAnySize) {
  class Hole : public io::ReadableFile {
   public:
    std::uint64_t num_bytes() const override { return std::uint64_t{1} << 60; }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
      EXPECT_LE(out.size(), std::size_t{1} << 20);
      if (offset > std::uint64_t{1} << 20) fail(ErrorCode::unavailable, "enough was read");
      std::ranges::fill(out, std::byte{0});
    }
  };
  class Holes : public io::ForwardingFileSystem {
   public:
    using ForwardingFileSystem::ForwardingFileSystem;
    std::optional<io::FileInfo> find(std::string_view) const override {
      return io::FileInfo{.num_bytes = Hole().num_bytes()};
    }
    std::unique_ptr<io::ReadableFile> open(std::string_view) const override {
      return std::make_unique<Hole>();
    }
  };
  const Manifest manifest{.files = {{"w/0", {.num_bytes = Hole().num_bytes()}}}};
  const auto files = std::make_shared<Holes>(std::make_shared<io::MemoryFileSystem>());
  const std::vector<Damage> found = verify_manifest(files, "", manifest);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "enough was read");
}

// Returns a manifest with this path among its values and a valid checksum.
std::string manifest_with(const std::string& path) {
  Manifest manifest{.format = "native"};
  manifest.meta["PATH"] = Scalar(true);
  std::string text = write_manifest(manifest);
  text.replace(text.find("PATH"), 4, path);
  text.resize(text.rfind(",\"crc32c\""));
  const std::uint32_t crc = crc32c(text);
  std::string digits(8, '0');
  for (std::size_t i = 0; i < 8; ++i)
    digits[i] = "0123456789abcdef"[crc >> (28 - 4 * i) & 15];
  return str(text, ",\"crc32c\":\"", digits, "\"}\n");
}

std::string deep_path(int num_names) {
  std::string out = "a";
  for (int i = 1; i < num_names; ++i)
    out += "/a";
  return out;
}

// Functions on trees recurse once per name.
TEST(BoundedReading, RefusesPathsOfVeryManyNames) {
  EXPECT_TRUE(parse_manifest(manifest_with("a/b"), "m").meta.find("a/b"));
  EXPECT_THAT(data_loss_message([] { parse_manifest(manifest_with(deep_path(200'000)), "m"); }),
              HasSubstr("m: a path has 399999 bytes"));
  EXPECT_THAT(data_loss_message([] { parse_manifest(manifest_with(deep_path(129)), "m"); }),
              HasSubstr("has more than 128 components"));
  EXPECT_THAT(data_loss_message([] { parse_manifest(manifest_with("a//b"), "m"); }),
              HasSubstr("has an empty component"));
  EXPECT_THAT(data_loss_message([] {
                parse_axlearn_index(str("[[\"step\", 1], [\"", deep_path(200'000), "\", 2]]"), "i");
              }),
              HasSubstr("a path has 399999 bytes"));
}

TEST(BoundedReading, RefusesPathsThatMakeTreesOfManyTimesTheFile) {
  const std::string deep = deep_path(120);
  std::string index = "[[\"step\", 1]";
  for (int i = 0; i < 3000; ++i)
    index += str(", [\"", i, "/", deep, "\", 2]");
  EXPECT_THAT(data_loss_message([&] { parse_axlearn_index(index + "]", "i"); }),
              HasSubstr("its paths exceed the limit of 262144 components"));
}

// A linear search for each member of an object took minutes here.
TEST(BoundedReading, ReadsAManifestOfVeryManyValues) {
  Manifest manifest{.format = "native"};
  for (int i = 0; i < 100'000; ++i)
    manifest.meta[str("value", i)] = Scalar(std::int64_t{i});
  EXPECT_EQ(parse_manifest(write_manifest(manifest), "m").meta.num_leaves(), 100'000u);
}

}  // namespace
}  // namespace meshwright::checkpoint
