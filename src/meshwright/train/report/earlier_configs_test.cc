// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/earlier_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Starts a run with each of these configs.
void start(io::FileSystem& run, const std::vector<std::string>& configs) {
  for (const std::string& config : configs) {
    keep_earlier_config(run, config);
    replace_text(run, "config.toml", config);
  }
}

TEST(EarlierConfigs, AreKeptInTheirOrder) {
  io::MemoryFileSystem run;
  start(run, {"a", "a"});
  EXPECT_THAT(earlier_configs(run), IsEmpty());
  start(run, {"b", "b", "a", "c"});
  EXPECT_THAT(earlier_configs(run), ElementsAre("config.1.toml", "config.2.toml", "config.3.toml"));
  EXPECT_EQ(read_text(run, "config.1.toml"), "a");
  EXPECT_EQ(read_text(run, "config.2.toml"), "b");
  EXPECT_EQ(read_text(run, "config.3.toml"), "a");
}

TEST(EarlierConfigs, AreKeptOnceThoughAStartWasKilled) {
  io::MemoryFileSystem run;
  start(run, {"a"});
  keep_earlier_config(run, "b");
  start(run, {"b"});
  EXPECT_THAT(earlier_configs(run), ElementsAre("config.1.toml"));
}

TEST(EarlierConfigs, AreToldFromOtherFilesAndCountedAsNumbers) {
  io::MemoryFileSystem run;
  for (const char* name : {"config.10.toml", "config.9.toml", "config.toml", "config.x.toml",
                           "config.-1.toml", "config.99999999999999999999.toml", "a.1.toml"})
    io::write_text(run, name, name);
  EXPECT_THAT(earlier_configs(run), ElementsAre("config.9.toml", "config.10.toml"));
  start(run, {"next"});
  EXPECT_EQ(read_text(run, "config.11.toml"), "config.toml");
}

}  // namespace
}  // namespace meshwright::train
