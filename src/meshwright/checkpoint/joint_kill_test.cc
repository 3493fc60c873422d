// SPDX-License-Identifier: Apache-2.0
// A step written by several processes, one of which is killed.
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/joint_testutil.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

// The parent process reports when a process is gone.
std::shared_ptr<Meeting> shared_meeting(int num_members) {
  void* memory =
      mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(ErrorCode::resource_exhausted, "no shared memory");
  return {new (memory) Meeting(num_members),
          [](Meeting* meeting) { munmap(meeting, sizeof(Meeting)); }};
}

struct Save {
  const Format& format;
  std::string folder;
  Contents contents;
  int num_processes = 2;
  int killed_process = 0;
  std::size_t killed_at = 0;
};

// Runs in its own process and exits with 0 if it saw the commit.
[[noreturn]] void run_process(const Save& save, int process, Meeting& meeting) {
  const WriteOptions options{.process = process, .num_processes = save.num_processes};
  Files files = io::open_file_system(save.folder);
  if (process == save.killed_process)
    files = std::make_shared<io::FaultyFileSystem>(files, kill_at(save.killed_at));
  try {
    write_part(save.format, files, save.contents, options, meeting);
    _exit(0);
  } catch (const Error&) {
    _exit(1);
  }
}

struct Ends {
  int num_committed = 0;
  int num_killed = 0;
};

Ends write(const Save& save) {
  const std::shared_ptr<Meeting> meeting = shared_meeting(save.num_processes);
  std::vector<pid_t> children;
  for (int process = 0; process < save.num_processes; ++process) {
    const pid_t child = fork();
    if (child == 0) run_process(save, process, *meeting);
    if (child < 0) fail(ErrorCode::unavailable, "no process");
    children.push_back(child);
  }
  // The process that may be killed comes first: the others wait until its end is noticed.
  std::swap(children.front(), children[static_cast<std::size_t>(save.killed_process)]);
  Ends out;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      ++out.num_killed;
      meeting->record_gone();
    } else if (WEXITSTATUS(status) == 0) {
      ++out.num_committed;
    }
  }
  return out;
}

class JointKill : public testing::TestWithParam<std::string> {
 protected:
  const Format& format = format_named(GetParam());
  ScopedLogHandler quiet{[](Severity, std::string_view) {}};

  /// Returns the number of modifying calls of the first of two processes.
  std::size_t num_calls(bool replaces) const {
    const auto files = std::make_shared<io::MemoryFileSystem>();
    write_checkpoint(format, files, "run", contents_of(1, 1), {}, 1);
    auto counting = std::make_shared<io::FaultyFileSystem>(files, io::Fault());
    const Contents contents = contents_of(replaces ? 1 : 2, 7);
    Meeting meeting(2);
    std::thread other(
        [&] { write_part(format, files, contents, {.process = 1, .num_processes = 2}, meeting); });
    write_part(format, counting, contents, {.num_processes = 2}, meeting);
    other.join();
    return counting->num_changing_calls();
  }

  /// Returns true if that call was never made.
  bool expect_nothing_lost(int num_processes, int killed, std::size_t n, bool replaces) const {
    const std::int64_t step = replaces ? 1 : 2;
    const States before = {{1, digest(contents_of(1, 1))}};
    States after = before;
    after[step] = digest(contents_of(step, 7));
    const io::TemporaryFolder folder(quick_folder());
    const Files files = io::open_file_system(folder.path().string());
    write_checkpoint(format, files, "run", contents_of(1, 1), {}, 1);
    const Ends ends =
        write({format, folder.path().string(), contents_of(step, 7), num_processes, killed, n});
    for (int attempt = 0; attempt < 2; ++attempt) {
      const States found = restore_all(format, files, "run");
      EXPECT_TRUE(found == after || (ends.num_killed > 0 && found == before))
          << testing::PrintToString(found);
      EXPECT_TRUE(found == after || ends.num_committed == 0);
      recover(format, files, "run");
    }
    write_checkpoint(format, files, "run", contents_of(step, 7), {}, 1);
    EXPECT_EQ(restore_all(format, files, "run"), after);
    EXPECT_EQ(files->list("run").size(), after.size()) << "files are left over";
    return ends.num_killed == 0;
  }
};

// Up to the last call of each, including the removal of the replaced step.
TEST_P(JointKill, LosesNothingToKilledProcesses) {
  const std::size_t stride = calls_between_kills(11);
  for (const bool replaces : {false, true}) {
    for (const int num_processes : {2, 3}) {
      for (int killed = 0; killed < num_processes; ++killed) {
        for (std::size_t n = 1;; n += stride) {
          SCOPED_TRACE(str("process ", killed, " of ", num_processes, " killed at call ", n,
                           replaces ? ", replacing" : ""));
          if (expect_nothing_lost(num_processes, killed, n, replaces) || HasFailure()) break;
        }
      }
    }
  }
}

// The removal comes last. The sweep above, with every call odd and even, may end before it.
TEST_P(JointKill, RemovesTheReplacedStepWhereverTheFirstProcessIsKilled) {
  if (calls_between_kills(11) == 1) GTEST_SKIP() << "the sweep above has every call";
  const std::size_t num_adding = num_calls(/*replaces=*/false);
  const std::size_t num_replacing = num_calls(/*replaces=*/true);
  ASSERT_GT(num_replacing, num_adding + 2);
  for (std::size_t n = num_adding; n <= num_replacing; ++n) {
    SCOPED_TRACE(str("killed at call ", n, " of ", num_replacing));
    EXPECT_FALSE(expect_nothing_lost(2, 0, n, /*replaces=*/true));
    if (HasFailure()) return;
  }
  EXPECT_TRUE(expect_nothing_lost(2, 0, num_replacing + 1, /*replaces=*/true));
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         JointKill,
                         testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace meshwright::checkpoint
