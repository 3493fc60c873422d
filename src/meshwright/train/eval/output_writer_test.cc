// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/eval/output_writer.h"

#include <fstream>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/data/core/source.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;

class OutputWriterTest : public testing::Test {
 protected:
  // Two examples with a row of padding between them.
  static JudgedBatch judged() {
    JudgedBatch out;
    out.batch["x"] = HostTensor::from(std::vector<std::int32_t>{7, 0, 9}, {3});
    out.batch[data::kExampleWeight] = HostTensor::from(std::vector<float>{1, 0, 1}, {3});
    out.outputs["p"] = HostTensor::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                                           std::numeric_limits<float>::infinity()},
                                        {3, 2, 2});
    out.outputs["whole"] = HostTensor::scalar<float>(3);
    out.lines = {"first", "padding", "second"};
    return out;
  }
  std::string written(const OutputsConfig& config) {
    OutputWriter writer(files_, "a/outputs.jsonl", config);
    writer.write(judged());
    writer.write(judged());
    EXPECT_FALSE(fs::exists(path_));
    writer.finish();
    std::stringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

  io::TemporaryFolder folder_;
  std::shared_ptr<io::FileSystem> files_ = io::open_file_system(folder_.path().string());
  fs::path path_ = folder_.path() / "a" / "outputs.jsonl";
};

TEST_F(OutputWriterTest, WritesALineForEachExampleButNotForPadding) {
  EXPECT_EQ(written({.num_examples = 3}),
            R"({"example":0,"text":"first","outputs/p":[[1,2],[3,4]]}
{"example":1,"text":"second","outputs/p":[[9,10],[11,"Infinity"]]}
{"example":2,"text":"first","outputs/p":[[1,2],[3,4]]}
)");
}

TEST_F(OutputWriterTest, WritesTheArraysThatAreChosen) {
  EXPECT_EQ(written({.arrays = "batch/x", .num_examples = 1}),
            "{\"example\":0,\"text\":\"first\",\"batch/x\":7}\n");
}

TEST_F(OutputWriterTest, WithoutAnEndNothingStays) {
  {
    OutputWriter writer(files_, "a/outputs.jsonl", {});
    writer.write(judged());
  }
  EXPECT_TRUE(fs::is_empty(path_.parent_path()));
}

TEST_F(OutputWriterTest, WhatCannotBeWrittenIsAWarning) {
  std::string log;
  ScopedLogHandler handler([&](Severity, std::string_view text) { log += text; });
  fs::create_directory_symlink(folder_.path(), path_.parent_path());
  OutputWriter writer(files_, "a/outputs.jsonl", {});
  writer.write(judged());
  writer.finish();
  EXPECT_THAT(log, testing::HasSubstr("cannot write the outputs " + path_.string() + ": "));
  EXPECT_THAT(log, testing::HasSubstr("a symbolic link is in the way"));
}

TEST_F(OutputWriterTest, TakesThePlaceOfALink) {
  const fs::path precious = folder_.path() / "precious";
  std::ofstream(precious) << "x";
  fs::create_directories(path_.parent_path());
  fs::create_symlink(precious, path_);
  fs::create_symlink(precious, path_.string() + ".unfinished");
  OutputWriter writer(files_, "a/outputs.jsonl", {});
  writer.write(judged());
  writer.finish();
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path_)));
  EXPECT_EQ(fs::file_size(precious), 1u);
}

}  // namespace
}  // namespace meshwright::train
