// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/export/batch_writer.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/temporary_folder_testutil.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BatchWriterTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder.path() / name; }
  // Two rows of tokens, one row of which is in each batch, and a weight for each.
  static BatchSpec spec() {
    BatchSpec out;
    out["tokens"] = array_spec(s32, {1, 3}, "batch len");
    out["weight"] = array_spec(f32, {1}, "batch");
    return out;
  }
  static Batch batch(std::int32_t first, float weight) {
    Batch out;
    out["tokens"] = HostTensor::from<std::int32_t>({first, first + 1, -1}, {1, 3});
    out["weight"] = HostTensor::from<float>({weight}, {1});
    return out;
  }
  void write(const std::string& name, BatchFormat format, IfExists if_exists) const {
    const auto writer = open_batch_writer(path(name), format, spec(), 2, if_exists);
    writer->add(batch(5, 1));
    writer->add(batch(100'000, 0.5));
    EXPECT_FALSE(std::filesystem::exists(path("new"))) << "it has no name yet";
    writer->finish();
  }

  TemporaryFolder folder;
};

TEST_F(BatchWriterTest, WritesNumPyArrays) {
  write("new", BatchFormat::npy, IfExists::refuse);
  const std::string tokens = file_text(path("new/tokens.npy"));
  ASSERT_EQ(tokens.size(), 128 + 2 * 3 * 4);
  EXPECT_THAT(tokens, StartsWith(std::string("\x93NUMPY\x01\x00\x76\x00", 10)));
  EXPECT_THAT(tokens, HasSubstr("{'descr': '<i4', 'fortran_order': False, 'shape': (2,3,), }"));
  EXPECT_EQ(tokens[127], '\n');
  std::int32_t values[6];
  std::memcpy(values, tokens.data() + 128, sizeof(values));
  EXPECT_THAT(values, testing::ElementsAre(5, 6, -1, 100'000, 100'001, -1));
  EXPECT_THAT(file_text(path("new/weight.npy")),
              HasSubstr("'<f4', 'fortran_order': False, 'shape': (2,), "));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(BatchWriterTest, WritesLinesOfJson) {
  write("new", BatchFormat::jsonl, IfExists::refuse);
  EXPECT_EQ(file_text(path("new")),
            "{\"tokens\":[5,6,-1],\"weight\":1}\n{\"tokens\":[100000,100001,-1],\"weight\":0.5}\n");
}

TEST_F(BatchWriterTest, ReplacesOnlyOnRequest) {
  for (const BatchFormat format : {BatchFormat::npy, BatchFormat::jsonl}) {
    std::filesystem::remove_all(path("old"));
    std::ofstream(path("old")) << "old";
    EXPECT_EQ(coded_message_of([&] { write("old", format, IfExists::refuse); }),
              "already exists: " + path("old") + " exists");
    EXPECT_EQ(file_text(path("old")), "old");
    write("old", format, IfExists::replace);
    EXPECT_TRUE(std::filesystem::is_directory(path("old")) || file_text(path("old")) != "old");
  }
}

TEST_F(BatchWriterTest, LeavesNothingIfItIsNotFinished) {
  for (const BatchFormat format : {BatchFormat::npy, BatchFormat::jsonl})
    open_batch_writer(path("new"), format, spec(), 2)->add(batch(5, 1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace meshwright::data
