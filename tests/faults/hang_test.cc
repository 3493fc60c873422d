// SPDX-License-Identifier: Apache-2.0
// A step that never returns: the watchdog ends the process, and the next start resumes.
#include <atomic>
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>
#include <unistd.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_call.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

constexpr const char* kFolder = "MW_HANG_TEST_FOLDER";

[[noreturn]] void hang() {
  for (;;)
    ::pause();
}

struct HangsInTheThirdStep {
  static constexpr std::string_view kName = "mw_test_hangs_in_the_third_step";
  static constexpr int kAbiVersion = 1;
  static void run(pjrt::KernelCall& call) {
    static std::atomic<int> num_calls = 0;
    if (std::getenv(kFolder) != nullptr && ++num_calls >= 3) hang();
    std::ranges::copy(call.input(0).values<float>(), call.output(0).values<float>().begin());
  }
};

Outcome train(const std::string& folder) {
  const runtime::Client client = runtime::open({.num_devices = 1, .cache_folder = {}});
  client.add_kernel(pjrt::kernel<HangsInTheThirdStep>());
  Job job = line_job(folder);
  job.task = std::make_shared<KernelLineTask>(HangsInTheThirdStep::kName);
  job.config.evaluators.clear();
  job.config.checkpoint.when = When{EveryN{.n = 1}};
  job.config.watchdog = {.timeout_seconds = 2, .crash_on_hang = true};
  return run(job, client);
}

TEST(HangDeathTest, EndsTheProcessToBeTriedAgain) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  // The child process repeats this test in the folder of its parent.
  std::optional<io::TemporaryFolder> own;
  if (std::getenv(kFolder) == nullptr) setenv(kFolder, own.emplace().path().c_str(), 1);
  const std::string folder = std::getenv(kFolder);
  EXPECT_EXIT(train(folder), testing::ExitedWithCode(75),
              "watchdog: no progress for 2 seconds, at step 2, .*Threads:.*"
              "watchdog: ending the process so that it can be restarted");
  unsetenv(kFolder);
  const CapturedLog log;
  EXPECT_EQ(train(folder).step, 8);
  EXPECT_NE(log.text().find("restored the checkpoint of step 2"), std::string::npos) << log.text();
}

}  // namespace
}  // namespace meshwright::train
