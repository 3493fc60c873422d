// SPDX-License-Identifier: Apache-2.0
// A copy whose process dies, or whose power fails, at any call that changes files: the same call
// completes it and does not read again what was recorded.
#include "meshwright/checkpoint/convert/restartable_copy.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

struct Target {
  const char* name;
  const char* container;
  const char* path;  // for Container::begin()
  std::int64_t max_file_bytes = 0;
  /// Arrays of at most 1 KiB lie in the list of keys, which is written last.
  bool lists_small_arrays = false;
};

constexpr Target kTargets[] = {
    {"safetensors", "safetensors", "x.safetensors"},
    {"safetensors_in_files", "safetensors", "x", 100},
    {"npz", "npz", "x.npz"},
    {"orbax", "orbax", "x", 0, true},
    {"big_vision", "big_vision", "x"},
    {"native", "native", ""},
    {"axlearn", "axlearn", ""},
    {"t5x", "t5x", ""},
    {"seqax", "seqax", ""},
};

Contents without_meta() {
  Contents out = sample_contents(3);
  out.meta = {};
  return out;
}

Contents with_zeros(Contents contents) {
  contents.arrays = map(contents.arrays, [](ArrayParts array) {
    for (Part& part : array.parts) {
      HostTensor zeros(part.value.type());
      std::memset(zeros.mutable_data(), 0, zeros.bytes().size());
      part.value = std::move(zeros);
    }
    return array;
  });
  return contents;
}

class RestartableCopy : public testing::TestWithParam<Target> {
 protected:
  // Returns a checkpoint whose parts count how often they are read.
  PendingCheckpoint counted_copy(const Contents& of) {
    PendingCheckpoint out = pending_checkpoint(of);
    num_parts = out.parts.size();
    std::vector<runtime::SnapshotPart> parts;
    for (runtime::SnapshotPart& part : out.parts) {
      const std::size_t array = part.array();
      const Ranges ranges = part.ranges();
      parts.emplace_back(array, ranges, [this, value = part.take()] {
        ++num_read;
        return value;
      });
    }
    out.parts = std::move(parts);
    return out;
  }

  void copy(const Files& files) { copy(files, contents, "a"); }
  // Another copy to the same place, with other elements.
  void copy_others(const Files& files) { copy(files, others, "b"); }
  void copy(const Files& files, const Contents& of, const std::string& identity) {
    num_read = num_kept = 0;
    write_restartable(container, files, GetParam().path, counted_copy(of),
                      {.max_file_bytes = GetParam().max_file_bytes},
                      {.journal = journal,
                       .identity = identity,
                       .max_threads = 1,
                       .interval = std::chrono::milliseconds(0),
                       .on_kept = [this](std::uint64_t) { ++num_kept; }});
  }

  // Returns false if the process did not live to call n.
  bool dies_at(std::size_t n, const Files& files) {
    try {
      copy(std::make_shared<io::FaultyFileSystem>(files, die_at(n)));
    } catch (const Died&) {
      return true;
    }
    return false;
  }

  std::string digest_in(const Files& files) const {
    Stored stored = container.open(files, result);
    stored.step = contents.step;  // .npz has none
    stored.meta = {};
    return digest(read_contents(stored));
  }

  std::size_t num_kept_at_most() {
    const PendingCheckpoint copied = counted_copy(contents);
    return static_cast<std::size_t>(
        std::ranges::count_if(copied.parts, [&](const runtime::SnapshotPart& part) {
          const ArrayType& type = copied.plan.arrays.at(copied.paths[part.array()]).value().type;
          const auto num_bytes = static_cast<std::size_t>(num_elements(sizes_of(part.ranges()))) *
                                 byte_size(type.dtype);
          return !GetParam().lists_small_arrays || num_bytes > 1024;
        }));
  }

  void expect_only_the_result(const Files& files) const {
    std::vector<std::string> names;
    for (const io::FolderEntry& entry : files->list(""))
      names.push_back(entry.name);
    EXPECT_THAT(names, testing::Not(testing::Contains(testing::StartsWith("unfinished-"))));
    EXPECT_THAT(names, testing::Contains(result));
  }

  const Container& container = *find_container(GetParam().container);
  const std::string result = container.result_of(GetParam().path, 3);
  const std::string journal = journal_of(result);
  std::size_t num_parts = 0, num_read = 0, num_kept = 0;
  const Contents contents = without_meta();
  const Contents others = with_zeros(without_meta());
};

TEST_P(RestartableCopy, ContinuesWhereItDied) {
  std::size_t most_kept = 0;
  for (const bool power_fails : {false, true}) {
    for (std::size_t n = 1;; ++n) {
      auto files = std::make_shared<io::MemoryFileSystem>();
      if (!dies_at(n, files)) break;
      if (power_fails) files->lose_power();
      if (files->find(result)) continue;  // see Interrupted
      copy(files);
      EXPECT_EQ(digest_in(files), digest(contents)) << n;
      EXPECT_EQ(num_read + num_kept, num_parts) << n;
      expect_only_the_result(files);
      most_kept = std::max(most_kept, num_kept);
    }
  }
  EXPECT_EQ(most_kept, num_kept_at_most());
}

TEST_P(RestartableCopy, ContinuesWhatContinuedAndDied) {
  for (std::size_t n = 1;; n += 3) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    std::size_t num_deaths = 0;
    while (num_deaths < 2 && !files->find(result) && dies_at(n, files))
      ++num_deaths;
    if (num_deaths == 0) break;
    if (!files->find(result)) copy(files);
    EXPECT_EQ(digest_in(files), digest(contents)) << n;
  }
}

TEST_P(RestartableCopy, AnotherCopyStartsOver) {
  for (std::size_t n = 1;; n += 3) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    if (!dies_at(n, files)) break;
    if (files->find(result)) continue;
    copy_others(files);
    EXPECT_EQ(num_kept, 0) << n;
    EXPECT_EQ(digest_in(files), digest(others)) << n;
    expect_only_the_result(files);
  }
}

// The first copy must not take the files of the second for its own.
TEST_P(RestartableCopy, DoesNotContinueAfterAnotherCopy) {
  io::FaultyFileSystem counting(std::make_shared<io::MemoryFileSystem>(), io::Fault{});
  copy(Files(Files(), &counting));
  const std::size_t num_calls = counting.num_changing_calls();
  for (std::size_t n = 1; n < num_calls; n += 3) {
    auto died = std::make_shared<io::MemoryFileSystem>();
    if (!dies_at(num_calls / 2, died) || died->find(result)) continue;
    try {
      copy_others(std::make_shared<io::FaultyFileSystem>(died, die_at(n)));
    } catch (const Died&) {
    }
    if (died->find(result)) continue;
    copy(died);
    EXPECT_EQ(digest_in(died), digest(contents)) << n;
  }
}

TEST_P(RestartableCopy, ContinuesAfterAnError) {
  std::size_t most_kept = 0;
  for (std::size_t n = 1;; ++n) {
    auto disk = std::make_shared<io::MemoryFileSystem>();
    auto files =
        std::make_shared<io::FaultyFileSystem>(disk, io::fail_at(n, ErrorCode::resource_exhausted));
    try {
      copy(files);
      break;
    } catch (const Error&) {
    }
    if (disk->find(result)) continue;
    copy(disk);
    EXPECT_EQ(digest_in(disk), digest(contents)) << n;
    most_kept = std::max(most_kept, num_kept);
  }
  EXPECT_EQ(most_kept, num_kept_at_most());
}

INSTANTIATE_TEST_SUITE_P(All, RestartableCopy, testing::ValuesIn(kTargets), [](const auto& test) {
  return test.param.name;
});

TEST(IdentityOf, ChangesWhenAFileIsWrittenAgain) {
  io::MemoryFileSystem files;
  files.make_folder("a/b");
  io::write_text(files, "a/b/x", "1");
  const std::string before = identity_of(files, "a");
  EXPECT_EQ(identity_of(files, "a"), before);
  io::write_text(files, "a/b/x", "22");
  EXPECT_NE(identity_of(files, "a"), before);
  io::write_text(files, "model.index", "1");
  const std::string prefix = identity_of(files, "model");
  io::write_text(files, "model.data", "1");
  EXPECT_NE(identity_of(files, "model"), prefix);
}

}  // namespace
}  // namespace meshwright::checkpoint
