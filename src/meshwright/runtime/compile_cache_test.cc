// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/compile_cache.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/temporary_folder_testutil.h"

namespace meshwright::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kKey(32, 'a');
const std::string kOtherKey(64, 'b');

/// Limits the size of files that this process can write, as a full disk would.
void limit_file_size(rlim_t num_bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{.rlim_cur = num_bytes, .rlim_max = num_bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

class Cache : public ::testing::Test {
 protected:
  fs::path file(const std::string& key) const { return folder / "executables" / key; }

  std::string read_file(const std::string& key) const { return file_text(file(key)); }
  void write_file(const std::string& key, const std::string& bytes) const {
    std::ofstream(file(key), std::ios::binary) << bytes;
  }
  void change_file(const std::string& key, auto change) const {
    std::string bytes = read_file(key);
    change(bytes);
    write_file(key, bytes);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / "executables"))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  std::vector<std::string> warnings;
  ScopedLogHandler handler{
      [this](Severity, std::string_view text) { warnings.emplace_back(text); }};
};

TEST_F(Cache, GivesBackWhatWasStored) {
  CompileCache cache(folder);
  EXPECT_EQ(cache.find(kKey), std::nullopt);
  cache.store(kKey, "program");
  EXPECT_EQ(cache.find(kKey), "program");
  EXPECT_EQ(CompileCache(folder).find(kKey), "program");
  EXPECT_EQ(cache.find(kOtherKey), std::nullopt);
  cache.store(kKey, "another");
  EXPECT_EQ(cache.find(kKey), "another");
  EXPECT_THAT(files(), ElementsAre(kKey));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, KeepsAnEmptyProgramAndOneWithZeroBytes) {
  CompileCache cache(folder);
  cache.store(kKey, "");
  EXPECT_EQ(cache.find(kKey), "");
  std::string zeros(1000, '\0');
  cache.store(kKey, zeros);
  EXPECT_EQ(cache.find(kKey), zeros);
}

TEST_F(Cache, WithoutAFolderDoesNothing) {
  CompileCache cache{fs::path()};
  cache.store(kKey, "program");
  EXPECT_EQ(cache.find(kKey), std::nullopt);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Cache, NoticesEveryShorteningAndWarnsOnce) {
  CompileCache cache(folder);
  cache.store(kKey, "a compiled program");
  const std::string whole = read_file(kKey);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(kKey, whole.substr(0, size));
    warnings.clear();
    EXPECT_EQ(cache.find(kKey), std::nullopt) << size;
    EXPECT_EQ(cache.find(kKey), std::nullopt) << size;
    ASSERT_EQ(warnings.size(), 1u) << size;
    EXPECT_THAT(warnings[0], HasSubstr("is unusable"));
    EXPECT_THAT(warnings[0], HasSubstr("recompiling"));
  }
}

TEST_F(Cache, NoticesEveryFlippedBit) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  const std::string whole = read_file(kKey);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    write_file(kKey, bytes);
    EXPECT_EQ(cache.find(kKey), std::nullopt) << bit;
  }
}

TEST_F(Cache, NoticesBytesAtTheEnd) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  change_file(kKey, [](std::string& bytes) { bytes += 'x'; });
  EXPECT_EQ(cache.find(kKey), std::nullopt);
}

TEST_F(Cache, NoticesAFileOfAnotherFormat) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  change_file(kKey, [](std::string& bytes) { bytes[7] = '2'; });
  EXPECT_EQ(cache.find(kKey), std::nullopt);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("unknown format")));
}

TEST_F(Cache, NoticesAFileUnderTheWrongName) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  fs::copy_file(file(kKey), file(kOtherKey));
  EXPECT_EQ(cache.find(kOtherKey), std::nullopt);
  EXPECT_EQ(cache.find(kKey), "program");
}

TEST_F(Cache, ReplacesADamagedProgram) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  fs::resize_file(file(kKey), 10);
  EXPECT_EQ(cache.find(kKey), std::nullopt);
  cache.store(kKey, "program");
  EXPECT_EQ(cache.find(kKey), "program");
}

TEST_F(Cache, RemovesTheLeastRecentlyUsedWhenFull) {
  const std::string program(1000, 'p');
  CompileCache cache(folder, 3500);
  auto use_at = [&](const std::string& key, int seconds_ago) {
    fs::last_write_time(file(key),
                        fs::file_time_type::clock::now() - std::chrono::seconds(seconds_ago));
  };
  cache.store("one", program);
  cache.store("two", program);
  cache.store("three", program);
  use_at("one", 30);
  use_at("two", 20);
  use_at("three", 10);
  EXPECT_EQ(cache.find("one"), program);  // now it is the most recently used
  cache.store("four", program);
  EXPECT_THAT(files(), ElementsAre("four", "one", "three"));
}

TEST_F(Cache, DoesNotKeepAProgramLargerThanItself) {
  CompileCache cache(folder, 1000);
  cache.store(kKey, "small");
  cache.store(kOtherKey, std::string(2000, 'p'));
  EXPECT_EQ(cache.find(kOtherKey), std::nullopt);
  EXPECT_EQ(cache.find(kKey), "small");
}

TEST_F(Cache, RemovesWhatADeadWriterLeft) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  std::ofstream(file(".tmp-1-0-old")) << "half";
  std::ofstream(file(".tmp-1-0-new")) << "half";
  fs::last_write_time(file(".tmp-1-0-old"),
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store(kOtherKey, "program");
  EXPECT_THAT(files(), ElementsAre(".tmp-1-0-new", kKey, kOtherKey));
}

TEST_F(Cache, FolderThatCannotBeMadeIsSaidOnce) {
  CompileCache cache("/proc/no_such_folder");
  // In a separate process, since a problem is logged once per process.
  EXPECT_EXIT(
      {
        ScopedLogHandler to_stderr([](Severity, std::string_view text) {
          std::fprintf(stderr, "(%s)\n", std::string(text).c_str());
        });
        cache.store(kKey, "program");
        cache.store(kKey, "program");
        std::exit(cache.find(kKey) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^\\(cannot cache compiled programs in [^\n]*\n$");
}

TEST_F(Cache, FullDiskLeavesNothingBehind) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  EXPECT_EXIT(
      {
        limit_file_size(100);
        cache.store(kOtherKey, std::string(5000, 'p'));
        std::exit(cache.find(kOtherKey) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_THAT(files(), ElementsAre(kKey));
}

TEST_F(Cache, ReadOnlyFolderStillGives) {
  CompileCache cache(folder);
  cache.store(kKey, "program");
  fs::permissions(folder / "executables", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(cache.find(kKey), "program");
  cache.store(kOtherKey, "program");  // root may succeed; either way it does not fail
  fs::permissions(folder / "executables", fs::perms::owner_all);
}

TEST_F(Cache, TwoWritersNeverShowAMixture) {
  const std::string a(200000, 'a');
  const std::string b(300000, 'b');
  std::vector<pid_t> writers;
  for (const std::string& program : {a, b}) {
    pid_t pid = fork();
    if (pid == 0) {
      CompileCache cache(folder);
      for (int i = 0; i < 50; ++i)
        cache.store(kKey, program);
      _exit(0);
    }
    writers.push_back(pid);
  }
  CompileCache cache(folder);
  for (std::size_t running = writers.size(); running > 0;) {
    if (auto found = cache.find(kKey)) {
      EXPECT_TRUE(*found == a || *found == b);
    }
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) > 0) --running;
  }
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(files(), ElementsAre(kKey));
}

TEST_F(Cache, RemembersWhatWasSaidOfAFileButNoErrors) {
  fs::create_directories(folder);
  fs::path file = folder / "file";
  std::ofstream(file) << "content";
  CompileCache cache(folder);
  int num_asked = 0;
  auto answer = [&] { return str("answer ", ++num_asked); };
  auto refuse = [] {
    fail(ErrorCode::device, "no");
    return std::string();
  };
  EXPECT_THROW(cache.remember("versions", file, refuse), Error);
  EXPECT_EQ(cache.remember("versions", file, answer), "answer 1");
  EXPECT_EQ(cache.remember("versions", file, answer), "answer 1");
  EXPECT_EQ(cache.remember("sizes", file, answer), "answer 2");
  EXPECT_EQ(CompileCache("").remember("versions", file, answer), "answer 3");
}

TEST_F(Cache, RemembersTheDigestOfAFileUntilItChanges) {
  fs::create_directories(folder);
  fs::path library = folder / "library.so";
  std::ofstream(library) << "first";
  CompileCache cache(folder);
  EXPECT_EQ(cache.file_digest(library), digest_hex("first"));
  // Same size and time but other bytes: the cached digest proves that the file was not read.
  auto time = fs::last_write_time(library);
  std::ofstream(library) << "FIRST";
  fs::last_write_time(library, time);
  EXPECT_EQ(cache.file_digest(library), digest_hex("first"));
  std::ofstream(library) << "second";
  EXPECT_EQ(cache.file_digest(library), digest_hex("second"));
}

TEST_F(Cache, TellsItsState) {
  CompileCache cache(folder, 12345);
  cache.store(kKey, "program");
  auto state = cache.state();
  EXPECT_EQ(state.folder, folder);
  EXPECT_TRUE(state.is_writable);
  EXPECT_EQ(state.num_programs, 1);
  EXPECT_EQ(state.num_bytes, fs::file_size(file(kKey)));
  EXPECT_EQ(state.max_bytes, 12345u);
  EXPECT_FALSE(CompileCache("/proc/no_such_folder").state().is_writable);
}

TEST(CacheKey, DependsOnEveryPart) {
  const CacheKeyParts base{.program = "p",
                           .compile_options = "o",
                           .xla_flags = "x",
                           .plugin_digest = "d",
                           .device_kind = "k",
                           .cpu_features = "c",
                           .kernels = {{"scale", 1}}};
  std::vector<std::string> keys = {cache_key(base)};
  EXPECT_EQ(cache_key(base), keys[0]);
  auto add = [&](auto change) {
    CacheKeyParts parts = base;
    change(parts);
    keys.push_back(cache_key(parts));
  };
  add([](auto& parts) { parts.program = "q"; });
  add([](auto& parts) { parts.compile_options = "q"; });
  add([](auto& parts) { parts.xla_flags = "q"; });
  add([](auto& parts) { parts.plugin_digest = "q"; });
  add([](auto& parts) { parts.device_kind = "q"; });
  add([](auto& parts) { parts.cpu_features = "q"; });
  add([](auto& parts) { parts.kernels[0].second = 2; });
  add([](auto& parts) { parts.kernels.clear(); });
  add([](auto& parts) { parts.program = "po", parts.compile_options = ""; });
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

TEST(CacheFolder, ComesFromTheEnvironment) {
  setenv("HOME", "/users/someone", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("MESHWRIGHT_CACHE_DIR");
  EXPECT_EQ(default_cache_folder(), "/users/someone/.cache/meshwright");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(default_cache_folder(), "/xdg/meshwright");
  setenv("MESHWRIGHT_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(default_cache_folder(), "/mine");
  unsetenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("MESHWRIGHT_CACHE_DIR");
  EXPECT_EQ(default_cache_folder(), "");
}

}  // namespace
}  // namespace meshwright::runtime
