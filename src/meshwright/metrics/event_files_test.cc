// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/event_files.h"

#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/metrics/event_proto.h"
#include "meshwright/metrics/tensorboard.h"

namespace meshwright::metrics {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string frame_of(std::int64_t step, double value) {
  return framed(record_event({.step = step, .entries = {{"loss", value}}}, {}));
}

class EventFilesTest : public testing::Test {
 protected:
  void append(const std::string& bytes, const std::string& name = "events.out.tfevents.1") {
    files_->make_folder("run");
    content_[name] += bytes;
    io::write_text(*files_, "run/" + name, content_[name]);
  }

  Files files_ = std::make_shared<io::MemoryFileSystem>();
  EventFiles events_{files_, "run", "loss"};
  std::map<std::string, std::string> content_;
  std::string log_;
  ScopedLogHandler handler_{
      [this](Severity, std::string_view text) { log_ += std::string(text) + "\n"; }};
};

TEST_F(EventFilesTest, FollowsFilesThatGrow) {
  EXPECT_THAT(events_.update(), IsEmpty());
  append(framed(version_event(1)) + frame_of(3, 0.5));
  EXPECT_THAT(events_.update(), ElementsAre(Pair(3, 0.5)));
  const std::string next = frame_of(4, 0.25);
  append(next.substr(0, next.size() / 2));
  EXPECT_THAT(events_.update(), ElementsAre(Pair(3, 0.5)));
  append(next.substr(next.size() / 2));
  append(frame_of(3, 0.75), "events.out.tfevents.2");
  append(frame_of(5, 1), "notes.txt");
  EXPECT_THAT(events_.update(), ElementsAre(Pair(3, 0.75), Pair(4, 0.25)));
  EXPECT_EQ(log_, "");
}

TEST_F(EventFilesTest, TakesOnlyItsMetric) {
  append(framed(record_event(
      {.step = 1, .entries = {{"loss/other", 1.0}, {"loss", 2.0}, {"loss2", 3.0}}}, {})));
  EXPECT_THAT(events_.update(), ElementsAre(Pair(1, 2.0)));
}

TEST_F(EventFilesTest, ReadsUpToDamageAndWarnsOnce) {
  std::string damaged = frame_of(2, 2);
  damaged[damaged.size() / 2] ^= 1;
  append(frame_of(1, 1) + damaged + frame_of(3, 3));
  append(frame_of(4, 4), "events.out.tfevents.2");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(events_.update(), ElementsAre(Pair(1, 1), Pair(4, 4)));
  EXPECT_THAT(log_, AllOf(HasSubstr("run/events.out.tfevents.1"), HasSubstr("wrong checksum")));
  EXPECT_EQ(log_.find("tfevents.1"), log_.rfind("tfevents.1"));
}

// Every byte of a file changed, and the file cut at every byte: no value that was not written.
TEST_F(EventFilesTest, DamageNeverInventsAValue) {
  const std::string whole = frame_of(1, 1) + frame_of(2, 2);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    for (const std::string& bytes : {changed, whole.substr(0, i)}) {
      auto files = std::make_shared<io::MemoryFileSystem>();
      io::write_text(*files, "a.tfevents", bytes);
      EventFiles events(files, "", "loss");
      for (const auto& [step, value] : events.update())
        EXPECT_EQ(static_cast<double>(step), value) << i;
    }
  }
}

}  // namespace
}  // namespace meshwright::metrics
