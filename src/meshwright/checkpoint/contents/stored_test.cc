// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/stored.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::int64_t kPiece = 1 << 16;  // elements: large enough to use threads
constexpr std::int64_t kNumPieces = 16;

// Counts concurrent reads.
class Counting : public ArraySource {
 public:
  Dims chunk() const override { return {kPiece}; }
  void read(const Ranges& part, const io::zarr::Target& /*target*/) const override {
    const int now = ++num_reading_;
    int seen = most_;
    while (now > seen && !most_.compare_exchange_weak(seen, now)) {
    }
    num_read_ += part[0].size();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    --num_reading_;
  }
  int most() const { return most_; }
  std::int64_t num_read() const { return num_read_; }

 private:
  mutable std::atomic<int> num_reading_ = 0;
  mutable std::atomic<int> most_ = 0;
  mutable std::atomic<std::int64_t> num_read_ = 0;
};

int most_at_once(const ReadOptions& options) {
  auto source = std::make_shared<Counting>();
  const StoredArray array({f32, {kPiece * kNumPieces}}, source);
  read_parts(array, {whole_ranges(array.type().dims)}, options);
  EXPECT_EQ(source->num_read(), kPiece * kNumPieces);
  return source->most();
}

TEST(Stored, ReadsOnSeveralThreads) {
  EXPECT_EQ(most_at_once({.max_threads = 1}), 1);
  EXPECT_GT(most_at_once({.max_threads = 4}), 1);
}

TEST(Stored, ReadsNoMoreAtOnceThanTheBudgetAllows) {
  constexpr std::uint64_t kPieceBytes = kPiece * 2 * 4;  // stored and decoded
  EXPECT_EQ(most_at_once({.max_threads = 8, .max_bytes = 1}), 1);
  EXPECT_EQ(most_at_once({.max_threads = 8, .max_bytes = 3 * kPieceBytes - 1}), 2);
}

TEST(Stored, TakesValuesInMemoryForStoredOnes) {
  const Contents contents = sample_contents(3);
  for_each(contents.arrays, [](const std::string& path, const ArrayParts& array) {
    const HostTensor whole = assemble(array);
    EXPECT_TRUE(std::ranges::equal(stored_value(array).read().bytes(), whole.bytes())) << path;
    EXPECT_TRUE(std::ranges::equal(stored_value(whole).read().bytes(), whole.bytes())) << path;
  });
}

TEST(Stored, ReadsALeafOnlyWhenItIsAskedFor) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Format& format = format_named("native");
  write_checkpoint(format, files, "run", sample_contents(1));
  std::vector<std::string> read;
  io::Fault fault;
  fault.before = [&](const io::FileCall& call) { read.push_back(call.path); };
  auto watched = std::make_shared<io::FaultyFileSystem>(files, fault);
  const Stored stored = format.open(watched, "run/step_00000001");
  read.clear();
  stored.arrays.at("model/bias").value().read();
  for (const std::string& path : read)
    EXPECT_THAT(path, testing::HasSubstr("model.bias"));
  EXPECT_FALSE(read.empty());
}

}  // namespace
}  // namespace meshwright::checkpoint
