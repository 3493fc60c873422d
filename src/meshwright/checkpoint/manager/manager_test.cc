// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manager/manager.h"

#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/base/temporary_folder_testutil.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ManagerTest : public testing::Test {
 protected:
  Manager manager(const Retention& retention = {}) {
    return Manager({.folder = folder / "checkpoints", .retention = retention});
  }
  fs::path checkpoint(std::int64_t step) const {
    char name[32];
    std::snprintf(name, sizeof(name), "step_%08d", static_cast<int>(step));
    return folder / "checkpoints" / name;
  }

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  std::string log;
  ScopedLogHandler handler{[this](Severity, std::string_view text) { log += text; }};
};

HostTensor matrix(const std::vector<float>& values) {
  return HostTensor::from(values, {2, 2});
}

// A matrix in two halves and a scalar.
Contents contents(std::int64_t step) {
  Contents out{.step = step};
  ArrayParts halves;
  halves.type = ArrayType{f32, {2, 4}};
  halves.parts.push_back({{{0, 2}, {0, 2}}, matrix({static_cast<float>(step), 1, 4, 5})});
  halves.parts.push_back({{{0, 2}, {2, 4}}, matrix({2, 3, 6, 7})});
  out.arrays["model/w"] = halves;
  ArrayParts scalar;
  scalar.type = ArrayType{s32, {}};
  scalar.parts.push_back({{}, HostTensor::scalar<std::int32_t>(7)});
  out.arrays["step"] = scalar;
  out.meta["data/name"] = Scalar(std::string("a\tb%c\n"));
  out.meta["data/seed"] = Scalar(std::int64_t{-3});
  out.meta["best"] = Scalar(0.1);
  out.meta["flag"] = Scalar(true);
  return out;
}

void save(Manager&& manager, std::int64_t step) {
  manager.save(contents(step));
  manager.wait();
}
void save(Manager& manager, std::int64_t step) {
  manager.save(contents(step));
  manager.wait();
}

TEST_F(ManagerTest, RestoresWhatWasSaved) {
  Manager m = manager();
  EXPECT_FALSE(m.restore_newest().has_value());
  save(m, 5);
  Contents restored = *m.restore_newest();
  EXPECT_EQ(restored.step, 5);
  EXPECT_EQ(restored.meta, contents(5).meta);
  EXPECT_THAT(assemble(restored.arrays.at("model/w").value()).values<float>(),
              ElementsAre(5, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(assemble(restored.arrays.at("step").value()).values<std::int32_t>(), ElementsAre(7));
}

TEST_F(ManagerTest, KeepsTheNewestAndEveryNth) {
  Manager m = manager({.keep_last_n = 2, .keep_every_n_steps = 4});
  for (std::int64_t step = 1; step <= 8; ++step)
    save(m, step);
  EXPECT_THAT(m.steps(), ElementsAre(1, 5, 7, 8));
}

TEST_F(ManagerTest, AReaderChangesNothing) {
  const ManagerOptions reading{.folder = folder / "checkpoints", .read_only = true};
  EXPECT_THAT(Manager(reading).steps(), ElementsAre());
  EXPECT_FALSE(fs::exists(folder / "checkpoints"));
  Manager m = manager();
  save(m, 1);
  fs::create_directories(folder / "checkpoints" / "unfinished-step_00000002");
  Manager reader(reading);
  EXPECT_TRUE(fs::exists(folder / "checkpoints" / "unfinished-step_00000002"));
  EXPECT_EQ(reader.restore_newest()->step, 1);
}

TEST_F(ManagerTest, RemovesWhatAnInterruptedSaveLeftAndNothingElse) {
  fs::create_directories(folder / "checkpoints" / "unfinished-step_00000002");
  fs::create_directories(folder / "checkpoints" / "unfinished-notes");
  Manager m = manager();
  EXPECT_FALSE(fs::exists(folder / "checkpoints" / "unfinished-step_00000002"));
  EXPECT_TRUE(fs::exists(folder / "checkpoints" / "unfinished-notes"));
}

// A copy into the run's folder that was killed, and names that only look like it.
TEST_F(ManagerTest, RemovesTheJournalOfAnInterruptedCopy) {
  const fs::path checkpoints = folder / "checkpoints";
  fs::create_directories(checkpoints / "unfinished-step_00000002");
  std::ofstream(checkpoints / "unfinished-step_00000002.journal") << "x";
  std::ofstream(checkpoints / "unfinished-notes.journal") << "x";
  fs::create_directories(checkpoints / "step_00000002.journal");
  Manager m = manager();
  EXPECT_FALSE(fs::exists(checkpoints / "unfinished-step_00000002"));
  EXPECT_FALSE(fs::exists(checkpoints / "unfinished-step_00000002.journal"));
  EXPECT_TRUE(fs::exists(checkpoints / "unfinished-notes.journal"));
  EXPECT_TRUE(fs::exists(checkpoints / "step_00000002.journal"));
}

TEST_F(ManagerTest, TakesAnOlderCheckpointWhereTheNewestIsDamaged) {
  Manager m = manager();
  save(m, 1);
  save(m, 2);
  fs::resize_file(checkpoint(2) / "meshwright.json", 20);
  EXPECT_EQ(m.restore_newest()->step, 1);
  EXPECT_THAT(log, HasSubstr("step 2 is damaged"));
  EXPECT_THAT(m.steps(), ElementsAre(1));
  save(m, 2);  // the name is free again
  EXPECT_EQ(m.restore_newest()->step, 2);
}

// On a real disk, so that links have targets and pipes block.
TEST_F(ManagerTest, TakesAnOlderCheckpointWhereTheNewestIsNoPlainFolderOrFile) {
  const fs::path manifest = checkpoint(2) / "meshwright.json";
  const std::vector<std::function<void()>> harms = {
      [&] { fs::create_symlink(folder / "elsewhere", checkpoint(2)); },
      [&] { mkfifo(checkpoint(2).c_str(), 0600); },
      [&] {
        fs::copy(folder / "elsewhere", checkpoint(2), fs::copy_options::recursive);
        fs::remove(manifest);
        mkfifo(manifest.c_str(), 0600);
      },
      [&] {
        fs::copy(folder / "elsewhere", checkpoint(2), fs::copy_options::recursive);
        fs::remove(manifest);
        fs::create_symlink(folder / "elsewhere" / "meshwright.json", manifest);
      }};
  save(manager(), 1);
  save(manager(), 2);
  fs::rename(checkpoint(2), folder / "elsewhere");
  for (const std::function<void()>& harm : harms) {
    harm();
    EXPECT_EQ(Manager({.folder = folder / "checkpoints", .read_only = true}).restore_newest()->step,
              1);
    EXPECT_EQ(manager().restore_newest()->step, 1);
    EXPECT_FALSE(fs::exists(fs::symlink_status(checkpoint(2))));
  }
  EXPECT_TRUE(fs::exists(folder / "elsewhere" / "meshwright.json"));
}

TEST_F(ManagerTest, NeverBeginsAnewWhereCheckpointsAre) {
  Manager m = manager();
  save(m, 1);
  fs::remove(checkpoint(1) / "meshwright.json");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Error error = thrown_by([&] { m.restore_newest(); });
    EXPECT_EQ(error.code(), ErrorCode::no_checkpoint);
    EXPECT_THAT(error.what(), HasSubstr("Job::fresh"));
  }
}

// Simulates a full disk with a file size limit: both end a write half way.
class FullDisk {
 public:
  explicit FullDisk(rlim_t max_bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = max_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

TEST_F(ManagerTest, AFullDiskCostsOneCheckpointOnly) {
  Manager m = manager();
  save(m, 1);
  {
    FullDisk full(10);
    save(m, 2);
  }
  EXPECT_THAT(log, HasSubstr("step 2 was not saved"));
  EXPECT_THAT(log, HasSubstr("File too large"));
  EXPECT_EQ(m.restore_newest()->step, 1);
  save(m, 3);
  EXPECT_EQ(m.restore_newest()->step, 3);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "checkpoints"))
    EXPECT_EQ(entry.path().string().find("unfinished"), std::string::npos);
}

TEST_F(ManagerTest, GivesUpAfterSeveralFailedSaves) {
  Manager m = manager();
  FullDisk full(10);
  for (int i = 0; i < 3; ++i)
    save(m, i);
  EXPECT_EQ(thrown_by([&] { m.save(contents(9)); }).code(), ErrorCode::unavailable);
}

TEST_F(ManagerTest, GoesBack) {
  Manager m = manager();
  for (std::int64_t step = 1; step <= 3; ++step)
    save(m, step);
  EXPECT_EQ(m.restore_newest(2)->step, 2);
  m.remove_after(2);
  EXPECT_THAT(m.steps(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace meshwright::checkpoint
