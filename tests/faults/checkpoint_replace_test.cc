// SPDX-License-Identifier: Apache-2.0
// A checkpoint that is saved again, as after a run went back, exists at every moment.
#include <csignal>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/log.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/checkpoint/manager/manager.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStep = 5;
constexpr int kNumKills = 60;
constexpr int kNumArrays = 60;

// All elements have the same number, so that a mixture of two saves is detected.
Contents filled_with(std::int32_t number) {
  Contents out{.step = kStep};
  ArrayParts array{{s32, {4}}, {}};
  array.parts.push_back({{{0, 4}}, HostTensor::from(std::vector<std::int32_t>(4, number), {4})});
  for (int i = 0; i < kNumArrays; ++i)
    out.arrays[str("model/", i)] = array;
  out.meta["number"] = Scalar(std::int64_t{number});
  return out;
}

void expect_whole(const Contents& found) {
  EXPECT_EQ(found.step, kStep);
  const std::int64_t number = std::get<std::int64_t>(found.meta.at("number").value());
  for (const ArrayParts& array : leaves(found.arrays)) {
    for (double value : assemble(array).to_doubles())
      ASSERT_EQ(value, static_cast<double>(number));
  }
}

pid_t start_saving_again_and_again(const fs::path& folder) {
  pid_t child = fork();
  if (child != 0) return child;
  Manager manager({.folder = folder});
  for (std::int32_t number = 1;; ++number) {
    manager.save(filled_with(number));
    manager.wait();
  }
}

// In memory if possible, to avoid waiting for a disk.
fs::path parent_folder() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
}

TEST(ReplacingACheckpoint, LosesNothingAtAnyKill) {
  const TemporaryFolder temporary(parent_folder());
  const fs::path& folder = temporary.path();
  std::string warnings;
  ScopedLogHandler handler{[&](Severity severity, std::string_view text) {
    if (severity != Severity::info) warnings += text;  // clean-up is reported as a note
  }};
  {
    Manager manager({.folder = folder});
    manager.save(filled_with(0));
    manager.wait();
  }
  std::mt19937 random(7);
  for (int round = 0; round < kNumKills && !testing::Test::HasFailure(); ++round) {
    pid_t child = start_saving_again_and_again(folder);
    usleep(static_cast<useconds_t>(5000 + random() % 20000));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    std::optional<Contents> found = Manager({.folder = folder}).restore_newest();
    ASSERT_TRUE(found) << "after kill " << round;
    expect_whole(*found);
    EXPECT_EQ(warnings, "");
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
