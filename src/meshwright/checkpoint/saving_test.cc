// SPDX-License-Identifier: Apache-2.0
// Saving, from save() to the commit.
#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/gated_files_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Saving : public testing::TestWithParam<std::string> {
 protected:
  ManagerOptions options(const Files& in, const Retention& retention = {}) const {
    return {.folder = "memory", .format = GetParam(), .retention = retention, .files = in};
  }
  // Has nothing to write, for tests that depend only on the request.
  static SaveRequest request(std::int64_t step, bool must_save = false) {
    return {.step = step, .must_save = must_save};
  }
  static void wait_until_done(Manager& manager) {
    while (manager.is_saving()) {
      manager.poll();
      std::this_thread::yield();
    }
  }

  std::shared_ptr<io::MemoryFileSystem> memory = std::make_shared<io::MemoryFileSystem>();
  Gate gate;
  Files files = gate.files(memory);
  std::string log;
  ScopedLogHandler handler{[this](Severity, std::string_view text) { log += text; }};
};

TEST_P(Saving, RoundsOnlyParametersIfToldSo) {
  Contents contents{.step = 3};
  const auto add = [&](const std::string& path, const HostTensor& value) {
    contents.arrays[path] = ArrayParts{value.type(), {{whole_ranges(value.dims()), value}}};
  };
  const HostTensor floats = HostTensor::from<float>({1.001F, -2.003F, 3e-5F}, {3});
  const HostTensor ids = HostTensor::from<std::int32_t>({1, 2}, {2});
  add("model/w", floats);
  add("model/ids", ids);
  add("learner/mu/w", floats);
  ManagerOptions rounded = options(memory);
  rounded.saving.params_dtype = bf16;
  Manager manager(rounded);
  manager.save(contents);
  manager.finish();
  const Contents read = *manager.restore_newest();
  const auto expect = [&](const char* path, const HostTensor& expected) {
    const HostTensor found = assemble(read.arrays.at(path).value());
    EXPECT_EQ(found.type(), expected.type()) << path;
    EXPECT_TRUE(std::ranges::equal(found.bytes(), expected.bytes())) << path;
  };
  expect("model/w", float_cast(floats, bf16));
  expect("model/ids", ids);
  expect("learner/mu/w", floats);
}

TEST_P(Saving, DoesNotWaitForTheDisk) {
  Manager manager(options(files));
  gate.close();
  manager.save(sample_contents(5));
  gate.wait_for_caller();
  manager.poll();
  EXPECT_TRUE(manager.is_saving());
  EXPECT_THAT(manager.steps(), ElementsAre());
  gate.open();
  wait_until_done(manager);
  EXPECT_THAT(manager.steps(), ElementsAre(5));
  EXPECT_EQ(digest(*manager.restore_newest()), digest(sample_contents(5)));
}

TEST_P(Saving, WaitsForTheSaveBefore) {
  Manager manager(options(files));
  gate.close();
  manager.save(sample_contents(1));
  gate.wait_for_caller();
  std::future<void> second =
      std::async(std::launch::async, [&] { manager.save(sample_contents(2)); });
  gate.open();
  second.get();
  manager.wait();
  EXPECT_THAT(manager.steps(), ElementsAre(1, 2));
}

TEST_P(Saving, LeavesOutWhatIsDueMeanwhileIfToldSo) {
  ManagerOptions skipping = options(files);
  skipping.saving.when_busy = WhenBusy::skip;
  Manager manager(skipping);
  gate.close();
  manager.save(sample_contents(1));
  gate.wait_for_caller();
  EXPECT_FALSE(manager.save(request(2)));
  EXPECT_FALSE(manager.save(request(3)));
  EXPECT_THAT(log, HasSubstr("step 1 is still being written; that of step 2 is skipped"));
  EXPECT_THAT(log, Not(HasSubstr("step 3")));  // reported once
  std::thread opener([&] { gate.open(); });
  EXPECT_TRUE(manager.save(request(4, /*must_save=*/true)));
  opener.join();
  manager.wait();
  EXPECT_THAT(manager.steps(), ElementsAre(1, 4));
}

TEST_P(Saving, IsDoneBeforeTheManagerGoes) {
  std::thread opener;
  {
    Manager manager(options(files));
    gate.close();
    manager.save(sample_contents(1));
    gate.wait_for_caller();
    opener = std::thread([&] { gate.open(); });
  }
  opener.join();
  EXPECT_THAT(Manager(options(files)).steps(), ElementsAre(1));
}

TEST_P(Saving, RemovesOldOnesOnlyOnceTheNewOneIsCommitted) {
  Manager manager(options(files, {.keep_last_n = 1}));
  manager.save(sample_contents(1));
  manager.wait();
  gate.close();
  manager.save(sample_contents(2));
  gate.wait_for_caller();
  EXPECT_THAT(manager.steps(), ElementsAre(1));
  gate.open();
  manager.wait();
  EXPECT_THAT(manager.steps(), ElementsAre(2));
}

// Fails from the given modifying call on, until it is repaired.
class BrokenDisk {
 public:
  explicit BrokenDisk(Files inner) {
    io::Fault fault;
    fault.before = [this](const io::FileCall& call) {
      if (is_broken && call.kind == io::FileCall::Kind::append)
        fail(ErrorCode::resource_exhausted, "no space left");
    };
    files = std::make_shared<io::FaultyFileSystem>(std::move(inner), std::move(fault));
  }
  std::atomic<bool> is_broken = false;
  Files files;
};

TEST_P(Saving, AFailureIsToldAtTheNextBoundaryAndRemovesNothing) {
  BrokenDisk disk(memory);
  Manager manager(options(disk.files, {.keep_last_n = 1}));
  manager.save(sample_contents(1));
  manager.wait();
  disk.is_broken = true;
  manager.save(sample_contents(2));
  wait_until_done(manager);
  EXPECT_THAT(log, HasSubstr("step 2 was not saved: "));
  EXPECT_THAT(log, HasSubstr("no space left"));
  EXPECT_THAT(manager.steps(), ElementsAre(1));
}

TEST_P(Saving, EndsTheRunAfterSeveralFailures) {
  BrokenDisk disk(memory);
  ManagerOptions twice = options(disk.files);
  twice.saving.max_failed_saves = 2;
  Manager manager(twice);
  disk.is_broken = true;
  manager.save(sample_contents(1));
  manager.wait();
  EXPECT_NO_THROW(manager.poll());
  manager.save(sample_contents(2));
  manager.wait();
  const Error error = thrown_by([&] { manager.poll(); });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.what(), HasSubstr("the last 2 saves failed"));
  EXPECT_THAT(error.what(), HasSubstr("no space left"));
}

TEST_P(Saving, ARunDoesNotEndWellWithoutItsLastCheckpoint) {
  BrokenDisk disk(memory);
  Manager manager(options(disk.files));
  disk.is_broken = true;
  manager.save(sample_contents(1));
  EXPECT_THROW(manager.finish(), Error);
  disk.is_broken = false;
  manager.save(sample_contents(2));
  EXPECT_NO_THROW(manager.finish());
}

TEST_P(Saving, AFailureNobodyAskedAboutIsAWarning) {
  BrokenDisk disk(memory);
  {
    Manager manager(options(disk.files));
    disk.is_broken = true;
    manager.save(sample_contents(1));
  }
  EXPECT_THAT(log, HasSubstr("step 1 was not saved"));
}

INSTANTIATE_TEST_SUITE_P(Formats, Saving, testing::ValuesIn(format_names()), [](const auto& param) {
  return param.param;
});

}  // namespace
}  // namespace meshwright::checkpoint
