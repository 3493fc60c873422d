// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/range_reader.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::io::zarr {
namespace {

constexpr std::int64_t kSize = 250'000, kChunk = 100'000;

std::uint64_t value_at(std::int64_t i) {
  return static_cast<std::uint64_t>(i * i % 1009);
}

template <typename T>
Array written(const WriteOptions& options) {
  const auto files = std::make_shared<MemoryFileSystem>();
  const Writer writer(files, "a", ArrayType{dtype_of<T>(), {kSize}}, options);
  writer.write_metadata();
  for (std::int64_t begin = 0; begin < kSize; begin += kChunk) {
    std::vector<T> values;
    for (std::int64_t i = begin; i < std::min(kSize, begin + kChunk); ++i)
      values.push_back(static_cast<T>(value_at(i)));
    const Dims dims = {std::ssize(values)};
    writer.write_chunk({begin / kChunk}, HostTensor::from(values, dims));
  }
  return Array::open(files, "a");
}

template <typename T>
void expect_ranges(const Array& array, std::uint64_t max_cached_bytes) {
  const RangeReader reader(array, max_cached_bytes);
  std::mt19937_64 random(5);
  for (int n = 0; n < 100; ++n) {
    const auto begin = static_cast<std::int64_t>(random() % kSize);
    const auto limit = std::min<std::uint64_t>(n % 10 == 0 ? kSize : 2000,
                                               static_cast<std::uint64_t>(kSize - begin));
    std::vector<T> read(random() % (limit + 1)), expected;
    for (std::size_t i = 0; i < read.size(); ++i)
      expected.push_back(static_cast<T>(value_at(begin + static_cast<std::int64_t>(i))));
    reader.read(begin, std::as_writable_bytes(std::span(read)));
    ASSERT_EQ(read, expected) << begin;
  }
}

TEST(RangeReader, ReadsAnyRangeOfBlosc) {
  for (const BloscShuffle shuffle : {BloscShuffle::none, BloscShuffle::bytes, BloscShuffle::bits}) {
    const WriteOptions options = {
        .chunk = {kChunk}, .compressor = Compressor::blosc, .level = 5, .shuffle = shuffle};
    expect_ranges<std::uint32_t>(written<std::uint32_t>(options), 1 << 20);
    expect_ranges<std::uint16_t>(written<std::uint16_t>(options), 0);
  }
  const WriteOptions copied = {.chunk = {kChunk}, .compressor = Compressor::blosc, .level = 0};
  expect_ranges<std::uint32_t>(written<std::uint32_t>(copied), 1 << 20);
}

TEST(RangeReader, ReadsAnyRangeOfChunksThatAreDecodedAsAWhole) {
  for (const Compressor compressor : {Compressor::none, Compressor::zstd, Compressor::blosc}) {
    const WriteOptions options = {
        .chunk = {kChunk}, .compressor = compressor, .is_delta = compressor == Compressor::blosc};
    expect_ranges<std::uint64_t>(written<std::uint64_t>(options), 1 << 20);
  }
}

TEST(RangeReader, MissingChunksHaveTheFillValue) {
  const auto files = std::make_shared<MemoryFileSystem>();
  const WriteOptions options = {.chunk = {10}, .compressor = Compressor::blosc};
  Writer(files, "a", ArrayType{DType::u8, {25}}, options).write_metadata();
  std::vector<std::uint8_t> read(25, 1);
  RangeReader(Array::open(files, "a"), 0).read(0, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, std::vector<std::uint8_t>(25));
}

TEST(RangeReader, NeedsOneDimension) {
  const auto files = std::make_shared<MemoryFileSystem>();
  Writer(files, "a", ArrayType{DType::u8, {2, 2}}, {.chunk = {2, 2}}).write_metadata();
  EXPECT_THROW(RangeReader(Array::open(files, "a"), 0), Error);
}

}  // namespace
}  // namespace meshwright::io::zarr
