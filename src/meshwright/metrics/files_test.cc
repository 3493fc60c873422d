// SPDX-License-Identifier: Apache-2.0
// The files that the sinks write. tests/metrics reads them with TensorBoard.
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/metrics/append_file.h"
#include "meshwright/metrics/event_proto.h"
#include "meshwright/metrics/jsonl.h"
#include "meshwright/metrics/metrics_testutil.h"
#include "meshwright/metrics/png.h"
#include "meshwright/metrics/tensorboard.h"

namespace meshwright::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Files files_in(const TemporaryFolder& folder) {
  return io::open_file_system(folder.path().string());
}

Record record_of(std::int64_t step, Value value) {
  return {step, 100.5, {{"x", std::move(value)}}};
}

TEST(AppendFile, GoesOnWithAFile) {
  TemporaryFolder folder;
  AppendFile(files_in(folder), "a/b").append("one ");
  AppendFile again(files_in(folder), "a/b");
  EXPECT_TRUE(again.ends_with(' '));
  again.append("two");
  EXPECT_EQ(again.num_bytes(), 7);
  EXPECT_EQ(file_text(folder.path() / "a" / "b"), "one two");
}

TEST(AppendFile, ARecordThatDoesNotFitLeavesNothing) {
  TemporaryFolder folder;
  AppendFile file(files_in(folder), "log");
  file.append("12345678\n");
  {
    FileSizeLimit limit(12);
    EXPECT_THAT([&] { file.append("abcdefgh\n"); },
                ThrowsMessage<Error>(HasSubstr("File too large")));
    EXPECT_EQ(file_text(folder.path() / "log"), "12345678\n");
  }
  file.append("ij\n");
  EXPECT_EQ(file_text(folder.path() / "log"), "12345678\nij\n");
}

TEST(AppendFile, ALinkOrAPipeIsNotWrittenTo) {
  TemporaryFolder folder;
  AppendFile(files_in(folder), "precious").append("x");
  std::filesystem::create_symlink(folder.path() / "precious", folder.path() / "log");
  EXPECT_THAT([&] { AppendFile file(files_in(folder), "log"); },
              ThrowsMessage<Error>(HasSubstr("a symbolic link is in the way")));
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { JsonlSink sink(files_in(folder), "pipe", 0, 0); },
              ThrowsMessage<Error>(HasSubstr("a named pipe is in the way")));
  EXPECT_EQ(file_text(folder.path() / "precious"), "x");
}

TEST(Jsonl, WritesOneObjectPerRecord) {
  TemporaryFolder folder;
  const auto path = folder.path() / "metrics.jsonl";
  JsonlSink sink(files_in(folder), "metrics.jsonl", 3, 99);
  sink.write({3, 100.5, {{"loss", 0.25}, {"eval/accuracy", WeightedScalar{0.5, 64}}}});
  sink.write(record_of(4, Text{"a\nb"}));
  sink.write(record_of(4, Settings{{{"lr", 0.5}, {"name", std::string("adam")}, {"tied", true}}}));
  EXPECT_EQ(file_text(path),
            "{\"schema\":1,\"first_step\":3,\"time\":99}\n"
            "{\"step\":3,\"time\":100.5,\"metrics\":{\"loss\":0.25,"
            "\"eval/accuracy\":{\"mean\":0.5,\"weight\":64}}}\n"
            "{\"step\":4,\"time\":100.5,\"metrics\":{\"x\":{\"text\":\"a\\nb\"}}}\n"
            "{\"step\":4,\"time\":100.5,\"metrics\":{\"x\":{\"settings\":"
            "{\"lr\":0.5,\"name\":\"adam\",\"tied\":true}}}}\n");
}

TEST(Jsonl, NumbersThatAreNotFiniteHaveNames) {
  TemporaryFolder folder;
  const auto path = folder.path() / "metrics.jsonl";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  {
    JsonlSink sink(files_in(folder), "metrics.jsonl", 0, 0);
    sink.write(
        {1,
         0,
         {{"a", std::numeric_limits<double>::quiet_NaN()}, {"b", kInfinity}, {"c", -kInfinity}}});
  }
  EXPECT_THAT(file_text(path), HasSubstr(R"({"a":"NaN","b":"Infinity","c":"-Infinity"})"));
}

TEST(Jsonl, ALineThatWasCutOffSwallowsNoOther) {
  TemporaryFolder folder;
  const auto path = folder.path() / "metrics.jsonl";
  AppendFile(files_in(folder), "metrics.jsonl").append("{\"schema\":1}\n{\"step\":1,\"ti");
  JsonlSink sink(files_in(folder), "metrics.jsonl", 1, 0);
  EXPECT_EQ(file_text(path),
            "{\"schema\":1}\n{\"step\":1,\"ti\n{\"schema\":1,\"first_step\":1,\"time\":0}\n");
}

// Length, masked checksum, bytes, masked checksum: the first event of a file written by TensorFlow.
TEST(EventProto, FramesAsTensorFlow) {
  std::string event = version_event(1.5);
  std::string bytes = framed(event);
  ASSERT_EQ(bytes.size(), event.size() + 16);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x1a\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(12, event.size()), event);
  EXPECT_THAT(event, HasSubstr("brain.Event:2"));
}

TEST(TensorBoard, FilesAscendEvenWithinASecond) {
  TemporaryFolder folder;
  for (double seconds : {5000.2, 5000.7, 4000.0}) {
    TensorBoardSink sink(files_in(folder), "", {.wall_seconds = seconds});
    sink.write(record_of(1, 0.5));
  }
  std::vector<std::string> names = file_names(folder.path());
  ASSERT_EQ(names.size(), 3u);
  EXPECT_THAT(names[0], HasSubstr("tfevents.0000005000."));
  EXPECT_THAT(names[1], HasSubstr("tfevents.0000005001."));
  EXPECT_THAT(names[2], HasSubstr("tfevents.0000005002."));
}

TEST(TensorBoard, BeginsANewFileWhenOneIsLarge) {
  TemporaryFolder folder;
  TensorBoardSink sink(files_in(folder), "", {.max_file_bytes = 200});
  for (std::int64_t step = 0; step < 20; ++step)
    sink.write(record_of(step, 0.5));
  std::vector<std::string> names = file_names(folder.path());
  EXPECT_GT(names.size(), 3u);
  for (const std::string& name : names)
    EXPECT_THAT(file_text(folder.path() / name), HasSubstr("brain.Event:2"));
}

TEST(TensorBoard, LeavesOutStepsInBetween) {
  TemporaryFolder folder;
  TensorBoardSink sink(files_in(folder), "", {.write_every_n_steps = 10});
  auto num_bytes = [&] { return file_text(folder.path() / file_names(folder.path())[0]).size(); };
  const std::size_t before = num_bytes();
  sink.write(record_of(9, 0.5));
  EXPECT_EQ(num_bytes(), before);
  sink.write(record_of(10, 0.5));
  EXPECT_GT(num_bytes(), before);
}

TEST(TensorBoard, RefusesImagesOfAWrongShape) {
  Record record = record_of(1, Image{HostTensor(ArrayType{f32, {4, 4}})});
  EXPECT_THAT([&] { record_event(record, {}); },
              ThrowsMessage<Error>(HasSubstr("image 'x' is f32[4,4]")));
}

TEST(Png, RefusesSizesThatDoNotFit) {
  std::vector<std::uint8_t> pixels(12);
  EXPECT_NO_THROW(png(pixels, {2, 2, 3}));
  EXPECT_THAT([&] { png(pixels, {2, 2, 2}); }, ThrowsMessage<Error>(HasSubstr("2 channels")));
  EXPECT_THAT([&] { png(pixels, {2, 3, 3}); }, ThrowsMessage<Error>(HasSubstr("12 values for 2")));
  EXPECT_THAT([&] { png(pixels, {0, 3, 3}); }, ThrowsMessage<Error>(HasSubstr("0 x 3")));
}

}  // namespace
}  // namespace meshwright::metrics
