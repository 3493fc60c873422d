// SPDX-License-Identifier: Apache-2.0
// Processes that share a cache folder are killed while they write. All entries found afterwards are
// intact, and a full cache still evicts old ones.
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {
namespace {

namespace fs = std::filesystem;

constexpr int kNumKeys = 4;
constexpr std::uint64_t kMaxBytes = 3 << 20;

std::string key(int i) {
  return std::string(64, static_cast<char>('a' + i));
}

// A program of random size that can be recognised: one letter repeated.
std::string program(std::mt19937& random) {
  return std::string(random() % (1 << 20), static_cast<char>('A' + random() % 26));
}

bool is_a_program(const std::string& bytes) {
  return bytes.empty() || (bytes[0] >= 'A' && bytes[0] <= 'Z' &&
                           bytes.find_first_not_of(bytes[0]) == std::string::npos);
}

pid_t start_writer(const fs::path& folder, unsigned seed) {
  pid_t child = fork();
  if (child != 0) return child;
  std::mt19937 random(seed);
  CompileCache cache(folder, kMaxBytes);
  while (true)
    cache.store(key(static_cast<int>(random() % kNumKeys)), program(random));
}

TEST(CacheCrashSweep, EveryEntryIsWholeAfterAnyKill) {
  const TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  std::vector<std::string> warnings;
  ScopedLogHandler handler{[&](Severity, std::string_view text) { warnings.emplace_back(text); }};
  std::mt19937 random(1);
  int num_found = 0;
  for (unsigned round = 0; round < 500; ++round) {
    pid_t writers[] = {start_writer(folder, 2 * round), start_writer(folder, 2 * round + 1)};
    usleep(static_cast<useconds_t>(random() % 20000));
    for (pid_t writer : writers) {
      ASSERT_EQ(kill(writer, SIGKILL), 0);
      ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    }
    CompileCache cache(folder, kMaxBytes);
    for (int i = 0; i < kNumKeys; ++i) {
      std::optional<std::string> bytes = cache.find(key(i));
      if (!bytes) continue;
      ++num_found;
      EXPECT_TRUE(is_a_program(*bytes)) << "round " << round;
    }
    EXPECT_TRUE(warnings.empty()) << "round " << round << ": " << warnings.front();
  }
  EXPECT_GT(num_found, 500) << "the writers were killed before they wrote";
  CompileCache(folder, kMaxBytes).store(key(0), "last");
  EXPECT_LE(CompileCache(folder, kMaxBytes).state().num_bytes, kMaxBytes);
}

}  // namespace
}  // namespace meshwright::runtime
