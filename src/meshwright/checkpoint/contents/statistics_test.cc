// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/statistics.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/forwarding_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Returns a checkpoint with one array "x", stored in chunks of a few elements.
template <typename T>
Stored stored(const std::vector<T>& values, const char* run = "run") {
  static Files files = std::make_shared<io::MemoryFileSystem>();
  const HostTensor tensor = HostTensor::from(values, {std::ssize(values)});
  Contents contents{.step = 1};
  contents.arrays["x"] = ArrayParts{tensor.type(), {{whole_ranges(tensor.dims()), tensor}}};
  const Format& format = format_named("native");
  write_checkpoint(format, files, run, contents, {.max_chunk_bytes = 16});
  return format.open(files, str(run, "/", format.step_name(1)));
}

template <typename T>
Statistics statistics_of(const std::vector<T>& values) {
  return statistics(stored(values).arrays.at("x").value());
}

TEST(Statistics, AreThoseOfTheWholeArrayHoweverItIsStored) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(1000.0F + static_cast<float>(i));
  const Statistics found = statistics_of(values);
  EXPECT_EQ(found.num_elements, 1000);
  EXPECT_EQ(found.min, 1000);
  EXPECT_EQ(found.max, 1999);
  EXPECT_THAT(found.mean, DoubleNear(1499.5, 1e-9));
  EXPECT_THAT(found.variance, DoubleNear((1000.0 * 1000.0 - 1) / 12, 1e-6));
}

TEST(Statistics, CountWhatIsNotFiniteApart) {
  const Statistics found =
      statistics_of<float>({1, kNan, -kInfinity, 0, 3, kNan, 0, 0, 2, kInfinity});
  EXPECT_EQ(found.num_nan, 2);
  EXPECT_EQ(found.num_infinite, 2);
  EXPECT_EQ(found.num_zero, 3);
  EXPECT_EQ(found.num_finite(), 6);
  EXPECT_EQ(found.min, -kInfinity);
  EXPECT_EQ(found.max, kInfinity);
  EXPECT_THAT(found.mean, DoubleNear(1, 1e-12));
  EXPECT_THAT(found.variance, DoubleNear((0 + 1 + 4 + 1 + 1 + 1) / 6.0, 1e-12));
}

TEST(Statistics, OfNothingButNanHaveNoMean) {
  const Statistics found = statistics_of<float>({kNan, kNan, kNan, kNan, kNan});
  EXPECT_EQ(found.num_finite(), 0);
  EXPECT_EQ(found.mean, 0);
}

TEST(Statistics, CountMagnitudesByDecades) {
  const Statistics found = statistics_of<double>({0, 1e-12, -3e-8, 0.5, -0.25, 1, 9.9, 10, 1e9});
  std::vector<std::int64_t> expected(Statistics::kNumDecades, 0);
  expected[0] = 1;   // below 1e-8
  expected[1] = 1;   // from 1e-8
  expected[8] = 2;   // from 0.1
  expected[9] = 2;   // from 1
  expected[10] = 1;  // from 10
  expected[12] = 1;  // from 1000
  EXPECT_THAT(found.decades, testing::ElementsAreArray(expected));
}

std::vector<std::string> texts_of(const std::vector<ArrayDifference>& found) {
  std::vector<std::string> out;
  for (const ArrayDifference& array : found)
    out.push_back(
        str(array.path, " ", array.num_different, "/", array.num_elements, " ", array.largest));
  return out;
}

template <typename T>
std::vector<std::string> differing(const std::vector<T>& a,
                                   const std::vector<T>& b,
                                   const Tolerance& tolerance = {}) {
  return texts_of(differing_arrays(stored(a, "a"), stored(b, "b"), tolerance));
}

TEST(DifferingArrays, AreCountedWithTheLargestDifference) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(differing(a, a), IsEmpty());
  EXPECT_THAT(differing(a, {1, 2, 3.5, 4, 5, 6, 7, 8, 7}), ElementsAre("x 2/9 2"));
}

TEST(DifferingArrays, AllowATolerance) {
  const std::vector<float> a = {1, 100, 3, 4, 5};
  const std::vector<float> b = {1.25, 101, 3, 4, 5};
  EXPECT_THAT(differing(a, b, {.atol = 0.5}), ElementsAre("x 1/5 1"));
  EXPECT_THAT(differing(a, b, {.rtol = 0.0625}), ElementsAre("x 1/5 0.25"));
  EXPECT_THAT(differing(a, b, {.atol = 1}), IsEmpty());
}

TEST(DifferingArrays, TakeNanForEqualToNanOnly) {
  EXPECT_THAT(differing<float>({kNan, 1, 2, 3, 4}, {kNan, 1, 2, 3, 4}), IsEmpty());
  EXPECT_THAT(differing<float>({kNan, 1, 2, 3, 4}, {0, 1, 2, 3, 9}, {.atol = 100}),
              ElementsAre("x 1/5 nan"));
}

/// Returns a 2^n x 2^n byte array in these chunks, each of which is a file.
StoredArray square(std::int64_t size, const Dims& chunk, int value, const Files& files) {
  files->make_folder("w");
  const ArrayType type{DType::u8, {size, size}};
  const io::zarr::Writer writer(files, "w", type, {.chunk = chunk});
  writer.write_metadata();
  HostTensor elements(ArrayType{DType::u8, chunk});
  std::ranges::fill(std::span(elements.mutable_data(), elements.num_bytes()), std::byte(value));
  io::zarr::for_each_place(whole_ranges(type.dims), chunk,
                           [&](const Dims& place) { writer.write_chunk(place, elements); });
  return stored_zarr(files, "w", type);
}

/// Counts the bytes that are read.
class CountingFiles : public io::ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;
  std::unique_ptr<io::ReadableFile> open(std::string_view path) const override {
    auto out = ForwardingFileSystem::open(path);
    num_read_ += out->num_bytes();
    return out;
  }
  std::uint64_t num_read() const { return num_read_; }

 private:
  mutable std::atomic<std::uint64_t> num_read_ = 0;
};

// A piece of one array overlaps many chunks of the other, each of which is read whole for it.
TEST(DifferingArrays, ReadsChunksThatAreCutOtherwiseNotOftenAgain) {
  constexpr std::int64_t kSize = 256;
  for (const auto& [left, right] : {std::pair<Dims, Dims>{{1, kSize}, {kSize, 1}},
                                    {{1, kSize}, {kSize, kSize}},
                                    {{64, 16}, {8, 256}}}) {
    auto a = std::make_shared<CountingFiles>(std::make_shared<io::MemoryFileSystem>());
    auto b = std::make_shared<CountingFiles>(std::make_shared<io::MemoryFileSystem>());
    Stored from, to;
    from.arrays["x"] = square(kSize, left, 1, a);
    to.arrays["x"] = square(kSize, right, 3, b);
    EXPECT_THAT(texts_of(differing_arrays(from, to)), ElementsAre("x 65536/65536 2"));
    EXPECT_LE(a->num_read() + b->num_read(), std::int64_t{4} * 2 * kSize * kSize)
        << testing::PrintToString(left) << testing::PrintToString(right);
  }
}

TEST(DifferingArrays, SeeTheLastBitOfLargeIntegers) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  EXPECT_THAT(differing<std::int64_t>({1, large, 3}, {1, large + 1, 3}), ElementsAre("x 1/3 0"));
}

}  // namespace
}  // namespace meshwright::checkpoint
