// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/memory_account.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

constexpr std::int64_t kMB = 1 << 20;

// Simulates the kernel's memory statistics of a process.
struct Kernel {
  bool tells = true;
  bool restarts = true;
  std::int64_t now_bytes = 100 * kMB;
  std::int64_t peak_bytes = 300 * kMB;  // used by compiling the step

  void use_and_give_back(std::int64_t num_bytes) {
    peak_bytes = std::max(peak_bytes, now_bytes + num_bytes);
  }
};
Kernel kernel;

constexpr MemorySource kSource{.find = []() -> std::optional<ResidentMemory> {
                                 if (!kernel.tells) return std::nullopt;
                                 return ResidentMemory{.now_bytes = kernel.now_bytes,
                                                       .peak_bytes = kernel.peak_bytes};
                               },
                               .restart_peak =
                                   [] {
                                     if (kernel.restarts) kernel.peak_bytes = kernel.now_bytes;
                                     return kernel.restarts;
                                   }};

TEST(MemoryAccount, KeepsWhatCompilingTakesApart) {
  kernel = {};
  MemoryAccount account(kSource);
  kernel.use_and_give_back(10 * kMB);
  {
    const MemoryAccount::Compiling compiling(&account);
    kernel.use_and_give_back(1200 * kMB);
  }
  kernel.use_and_give_back(5 * kMB);
  EXPECT_EQ(account.text(),
            "host memory: at most 110.0 MB in steps, 10.0 MB more than before the first one; at "
            "most 1.3 GB during compilation");
}

TEST(MemoryAccount, CountsTheStepsAfterCompilingToo) {
  kernel = {};
  MemoryAccount account(kSource);
  { const MemoryAccount::Compiling compiling(&account); }
  kernel.use_and_give_back(20 * kMB);
  EXPECT_EQ(account.text(),
            "host memory: at most 120.0 MB in steps, 20.0 MB more than before the first one; at "
            "most 300.0 MB during compilation");
}

TEST(MemoryAccount, SaysLessWhereTheKernelCountsNoPartApart) {
  kernel = {.restarts = false};
  MemoryAccount account(kSource);
  kernel.use_and_give_back(10 * kMB);
  EXPECT_EQ(account.text(), "host memory: at most 300.0 MB, including compilation");
}

TEST(MemoryAccount, SaysNothingWhereTheKernelTellsNothing) {
  kernel = {.tells = false};
  MemoryAccount account(kSource);
  const MemoryAccount::Compiling compiling(&account), of_none(nullptr);
  EXPECT_EQ(account.text(), "");
}

}  // namespace
}  // namespace meshwright::train
