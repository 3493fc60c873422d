// SPDX-License-Identifier: Apache-2.0
// Files of containers that belong to no run, if the process dies or the power fails while they are
// written: nothing unfinished is ever taken for a checkpoint, and writing it again works.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

struct Target {
  const char* container;
  const char* path;
  const char* result;  // the name under which it is opened
  std::int64_t max_file_bytes = 0;
};

constexpr Target kTargets[] = {
    {"safetensors", "x.safetensors", "x.safetensors"},
    {"safetensors", "x", "x", 100},
    {"npz", "x.npz", "x.npz"},
    {"orbax", "x", "x"},
    {"big_vision", "x", "x-000000003"},
};

class Interrupted : public testing::TestWithParam<Target> {
 protected:
  void write(const Files& files) const {
    write_checkpoint(container, files, GetParam().path, contents,
                     {.max_file_bytes = GetParam().max_file_bytes}, /*max_threads=*/1);
  }
  std::string digest_in(const Files& files) const {
    Stored stored = container.open(files, GetParam().result);
    stored.step = contents.step;  // .npz has none
    stored.meta = {};
    return digest(read_contents(stored));
  }
  // Returns false if the process did not live to call n.
  bool dies_at(std::size_t n, const Files& files) const {
    try {
      write(std::make_shared<io::FaultyFileSystem>(files, die_at(n)));
    } catch (const Died&) {
      return true;
    }
    return false;
  }

  const Container& container = *find_container(GetParam().container);
  const Contents contents = [] {
    Contents out = sample_contents(3);
    out.meta = {};
    return out;
  }();
};

TEST_P(Interrupted, IsWholeOrNotThereAndCanBeWrittenAgain) {
  std::size_t num_deaths = 0;
  for (const bool power_fails : {false, true}) {
    for (std::size_t n = 1;; ++n) {
      auto files = std::make_shared<io::MemoryFileSystem>();
      if (!dies_at(n, files)) break;
      ++num_deaths;
      if (power_fails) files->lose_power();
      if (files->find(GetParam().result)) {
        EXPECT_EQ(digest_in(files), digest(contents)) << n;
        continue;
      }
      EXPECT_FALSE(container.is_here(files, GetParam().path)) << n;
      write(files);
      EXPECT_EQ(digest_in(files), digest(contents)) << n;
    }
  }
  EXPECT_GT(num_deaths, 10);
}

INSTANTIATE_TEST_SUITE_P(All, Interrupted, testing::ValuesIn(kTargets), [](const auto& test) {
  return str(test.param.container, test.param.max_file_bytes == 0 ? "" : "_in_files");
});

}  // namespace
}  // namespace meshwright::checkpoint
