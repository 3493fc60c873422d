// SPDX-License-Identifier: Apache-2.0
// A run with three checkpoints of 100 GiB, stored as sparse files. Checks how much is read to list
// and show it.
#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/commands.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kChunkBytes = std::int64_t{64} << 20;
constexpr int kNumArrays = 50;
constexpr int kChunksPerArray = 32;  // 100 GiB in total
constexpr int kNumSteps = 3;

void write_step_of_holes(const fs::path& run, std::int64_t step) {
  fs::path folder = run / format_named("native").step_name(step);
  Manifest manifest{.format = "native", .step = step};
  for (int i = 0; i < kNumArrays; ++i) {
    std::string name = str("layer", i);
    fs::create_directories(folder / name);
    std::int64_t rows = kChunkBytes / 4096;
    std::string metadata =
        str(R"({"chunks":[)", rows, R"(,1024],"compressor":null,"dtype":"<f4","fill_value":null,)",
            R"("filters":null,"order":"C","shape":[)", kChunksPerArray * rows,
            R"(,1024],"zarr_format":2})");
    std::ofstream(folder / name / ".zarray") << metadata;
    manifest.files[name + "/.zarray"] = {metadata.size(), 0};
    manifest.arrays[name] = {name, {DType::f32, {kChunksPerArray * rows, 1024}}};
    for (int chunk = 0; chunk < kChunksPerArray; ++chunk) {
      std::string file = str(name, "/", chunk, ".0");
      std::ofstream(folder / file).flush();
      fs::resize_file(folder / file, static_cast<std::uintmax_t>(kChunkBytes));
      manifest.files[file] = {static_cast<std::uint64_t>(kChunkBytes), 0};
    }
  }
  std::ofstream(folder / "_METADATA") << "{}";
  std::ofstream(folder / kManifestFile) << write_manifest(manifest);
}

struct Calls {
  std::atomic<std::uint64_t> num_opened = 0;
  std::atomic<std::uint64_t> num_bytes_read = 0;
  std::atomic<std::uint64_t> num_changing = 0;
};

io::Fault counting(Calls& calls) {
  io::Fault out;
  out.before = [&](const io::FileCall& call) {
    if (call.kind == io::FileCall::Kind::open) ++calls.num_opened;
    if (call.is_changing()) ++calls.num_changing;
  };
  out.damage = [&](const io::FileCall&, std::span<std::byte> bytes) {
    calls.num_bytes_read += bytes.size();
  };
  return out;
}

class LargeTree : public testing::Test {
 protected:
  LargeTree() {
    for (int step = 1; step <= kNumSteps; ++step)
      write_step_of_holes(folder.path(), step);
    files = std::make_shared<io::FaultyFileSystem>(io::open_file_system(folder.path().string()),
                                                   counting(calls));
  }

  io::TemporaryFolder folder{fs::is_directory("/dev/shm") ? fs::path("/dev/shm")
                                                          : fs::temp_directory_path()};
  Calls calls;
  Files files;
  const Format& format = format_named("native");
};

TEST_F(LargeTree, IsListedWithoutOpeningAFile) {
  Location location{files, &format, &format, "", list_steps(format, files, ""), {}};
  ASSERT_EQ(location.steps.size(), std::size_t{kNumSteps});
  for (const CheckpointEntry& step : location.steps) {
    EXPECT_TRUE(step.is_committed);
    EXPECT_GT(cli::bytes_of(location, step), std::int64_t{100} << 30);
  }
  EXPECT_EQ(calls.num_opened, 0u);
  EXPECT_EQ(calls.num_changing, 0u);
}

TEST_F(LargeTree, IsShownByItsManifestAlone) {
  std::string step = format.step_name(kNumSteps);
  Stored stored = format.open(files, step);
  EXPECT_EQ(leaves(stored.arrays).size(), std::size_t{kNumArrays});
  EXPECT_EQ(calls.num_opened, 1u);
  EXPECT_EQ(calls.num_bytes_read, fs::file_size(folder.path() / step / kManifestFile));
}

TEST_F(LargeTree, IsListedAndShownInHalfASecondOfTheProcessor) {
  std::string run = folder.path().string();
  testing::internal::CaptureStdout();
  std::clock_t begin = std::clock();
  EXPECT_EQ(cli::list_checkpoints("ckpt ls")({run}), 0);
  EXPECT_EQ(cli::show_checkpoint("ckpt show")({run}), 0);
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("50 arrays"), text.npos) << text;
  EXPECT_LT(seconds, 0.5);
  RecordProperty("processor_seconds", std::to_string(seconds));
}

}  // namespace
}  // namespace meshwright::checkpoint
