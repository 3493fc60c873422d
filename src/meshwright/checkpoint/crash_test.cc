// SPDX-License-Identifier: Apache-2.0
// Saving, replacing and removing steps, interrupted at every single call that changes a file.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

// An operation that changes the files, and the states it may leave if interrupted.
struct Operation {
  const char* name;
  std::function<void(const Format&, const Files&)> prepare;
  std::function<void(const Format&, const Files&)> act;
  States before;
  States after;
};

void save(const Format& format, const Files& files, const Contents& contents) {
  write_checkpoint(format, files, "run", contents, {}, /*max_threads=*/1);
}

std::vector<Operation> operations() {
  const std::string one = digest(contents_of(1, 1));
  const std::string two = digest(contents_of(2, 2));
  const std::string other = digest(contents_of(1, 7));
  auto save_one = [](const Format& f, const Files& files) { save(f, files, contents_of(1, 1)); };
  auto save_two = [](const Format& f, const Files& files) { save(f, files, contents_of(2, 2)); };
  return {
      {"first save", [](const Format&, const Files&) {}, save_one, {}, {{1, one}}},
      {"save", save_one, save_two, {{1, one}}, {{1, one}, {2, two}}},
      {"replace",
       save_one,
       [](const Format& f, const Files& files) { save(f, files, contents_of(1, 7)); },
       {{1, one}},
       {{1, other}}},
      {"remove",
       [=](const Format& f, const Files& files) {
         save_one(f, files);
         save_two(f, files);
       },
       [](const Format& f, const Files& files) {
         std::string folder = str("run/", f.step_name(1));
         if (files->find(folder)) f.remove(files, folder);
       },
       {{1, one}, {2, two}},
       {{2, two}}},
  };
}

class Crash : public testing::TestWithParam<std::string> {
 protected:
  const Format& format = format_named(GetParam());
  // Suppresses warnings about folders that could not be cleaned up.
  ScopedLogHandler quiet{[](Severity, std::string_view) {}};
};

enum class Loss { process, power, power_with_luck };

// Runs the operation until call n; returns true if it completed.
bool act_until(const Operation& operation,
               const Format& format,
               const std::shared_ptr<io::FileSystem>& files,
               io::Fault fault) {
  try {
    operation.act(format, std::make_shared<io::FaultyFileSystem>(files, std::move(fault)));
    return true;
  } catch (const Died&) {
    return false;
  } catch (const Error&) {
    return false;
  }
}

void lose(Loss loss, std::size_t n, io::MemoryFileSystem& files) {
  if (loss == Loss::power) files.lose_power();
  if (loss != Loss::power_with_luck) return;
  std::minstd_rand random(static_cast<unsigned>(n));
  files.lose_power([&](std::size_t num) { return random() % (num + 1); });
}

void expect_no_loss(const Operation& operation,
                    const Format& format,
                    const Files& files,
                    bool is_done) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    States found = restore_all(format, files);
    EXPECT_TRUE(found == operation.after || (!is_done && found == operation.before))
        << testing::PrintToString(found);
    recover(format, files, "run");  // as the next run does; the result must be the same
  }
  // An interrupted operation can be repeated.
  operation.act(format, files);
  EXPECT_EQ(restore_all(format, files), operation.after);
  EXPECT_EQ(files->list("run").size(), operation.after.size()) << "files are left over";
}

std::shared_ptr<io::MemoryFileSystem> prepared(const Operation& operation, const Format& format) {
  auto out = std::make_shared<io::MemoryFileSystem>();
  operation.prepare(format, out);
  return out;
}

TEST_P(Crash, LosesNothingWhereverItIsEnded) {
  for (const Operation& operation : operations()) {
    const auto start = prepared(operation, format);
    Judged judged;
    bool is_done = false;
    for (std::size_t n = 1; !is_done; ++n) {
      const auto ended = start->copy();
      is_done = act_until(operation, format, ended, die_at(n));
      for (Loss loss : {Loss::process, Loss::power, Loss::power_with_luck}) {
        SCOPED_TRACE(str(operation.name, " ended at call ", n, ", loss ", static_cast<int>(loss)));
        const auto files = ended->copy();
        lose(loss, n, *files);
        if (!judged.knows(*files, str(is_done))) expect_no_loss(operation, format, files, is_done);
        if (HasFailure()) return;
      }
    }
  }
}

// Returns true if the operation completed.
bool expect_no_loss_to_error(const Operation& operation,
                             const Format& format,
                             const std::shared_ptr<io::MemoryFileSystem>& files,
                             io::Fault fault,
                             Judged& judged) {
  const bool is_done = act_until(operation, format, files, std::move(fault));
  if (!judged.knows(*files, str(is_done))) expect_no_loss(operation, format, files, is_done);
  return is_done;
}

TEST_P(Crash, LosesNothingToErrorsOfTheDisk) {
  for (const Operation& operation : operations()) {
    const auto start = prepared(operation, format);
    Judged judged;
    auto fail_at_every_call = [&](ErrorCode code, bool for_ever) {
      bool is_done = false;
      for (std::size_t n = 1; !is_done && !HasFailure(); ++n) {
        SCOPED_TRACE(str(operation.name, " fails at call ", n, " with ", error_code_name(code)));
        is_done = expect_no_loss_to_error(operation, format, start->copy(),
                                          io::fail_at(n, code, for_ever), judged);
      }
    };
    for (ErrorCode code : {ErrorCode::resource_exhausted, ErrorCode::unavailable}) {
      fail_at_every_call(code, /*for_ever=*/false);
      fail_at_every_call(code, /*for_ever=*/true);
    }
  }
}

// Saves three steps in the background and keeps one, as a run does; crashes at call n. Returns the
// last step known to be saved, and whether all were.
struct BackgroundSaves {
  std::int64_t known_step = 0;
  bool are_all_done = false;
};
BackgroundSaves save_in_background(const Format& format, const Files& files, io::Fault fault) {
  BackgroundSaves out;
  try {
    Manager manager({.folder = "memory",
                     .format = std::string(format.name()),
                     .retention = {.keep_last_n = 1},
                     .files = std::make_shared<io::FaultyFileSystem>(files, std::move(fault))});
    for (std::int64_t step = 1; step <= 3; ++step) {
      manager.save(contents_of(step, step));
      manager.finish();
      out.known_step = step;
    }
    out.are_all_done = true;
  } catch (const Died&) {
  } catch (const Error&) {
  }
  return out;
}

void expect_newest(const std::string& format, const Files& files, std::int64_t known_step) {
  Manager next({.folder = "memory", .format = format, .files = files});
  const std::optional<Contents> found = next.restore_newest();
  ASSERT_GE(found ? found->step : 0, known_step);
  ASSERT_LE(found ? found->step : 0, known_step + 1);
  if (found) {
    ASSERT_EQ(digest(*found), digest(contents_of(found->step, found->step)));
  }
}

TEST_P(Crash, KeepsTheNewestThatWasSavedInTheBackground) {
  Judged judged;
  bool is_done = false;
  for (std::size_t n = 1; !is_done; ++n) {
    const auto ended = std::make_shared<io::MemoryFileSystem>();
    const BackgroundSaves saves = save_in_background(format, ended, die_at(n));
    for (Loss loss : {Loss::process, Loss::power, Loss::power_with_luck}) {
      SCOPED_TRACE(str("ended at call ", n, ", loss ", static_cast<int>(loss)));
      const auto files = ended->copy();
      lose(loss, n, *files);
      if (judged.knows(*files, str(saves.known_step))) continue;
      ASSERT_NO_FATAL_FAILURE(expect_newest(GetParam(), files, saves.known_step));
    }
    is_done = saves.are_all_done;
  }
}

// Each failing call costs at most one save; existing checkpoints are untouched.
TEST_P(Crash, ErrorsInTheBackgroundCommitNothing) {
  bool is_done = false;
  for (std::size_t n = 1; !is_done; ++n) {
    SCOPED_TRACE(str("fails at call ", n));
    auto files = std::make_shared<io::MemoryFileSystem>();
    const BackgroundSaves saves =
        save_in_background(format, files, io::fail_at(n, ErrorCode::unavailable));
    for (const auto& [step, found] : restore_all(format, files, ""))
      ASSERT_EQ(found, digest(contents_of(step, step)));
    Manager next({.folder = "memory", .format = GetParam(), .files = files});
    const std::optional<Contents> found = next.restore_newest();
    ASSERT_GE(found ? found->step : 0, saves.known_step);
    is_done = saves.are_all_done;
  }
}

TEST_P(Crash, WritesInPiecesOfAnySize) {
  io::Fault fault;
  fault.shorten = [](const io::FileCall&, std::size_t num_bytes) { return (num_bytes + 2) / 3; };
  auto files = std::make_shared<io::MemoryFileSystem>();
  save(format, std::make_shared<io::FaultyFileSystem>(files, fault), contents_of(2, 2));
  EXPECT_EQ(restore_all(format, files), (States{{2, digest(contents_of(2, 2))}}));
}

// Runs the operation in another process, which is killed at call n; returns true if it completed
// before.
bool act_until_killed(const Operation& operation,
                      const Format& format,
                      const Files& files,
                      std::size_t n) {
  pid_t child = fork();
  if (child < 0) fail(ErrorCode::unavailable, "no process");
  if (child == 0) {
    operation.act(format, std::make_shared<io::FaultyFileSystem>(files, kill_at(n)));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status);
}

TEST_P(Crash, LosesNothingToKilledProcesses) {
  for (const Operation& operation : operations()) {
    bool is_done = false;
    for (std::size_t n = 1; !is_done; n += calls_between_kills(7)) {
      SCOPED_TRACE(str(operation.name, " killed at call ", n));
      io::TemporaryFolder folder(quick_folder());
      auto files = io::open_file_system(folder.path().string());
      operation.prepare(format, files);
      is_done = act_until_killed(operation, format, files, n);
      expect_no_loss(operation, format, files, is_done);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Crash, testing::ValuesIn(format_names()), [](const auto& param) {
  return param.param;
});

}  // namespace
}  // namespace meshwright::checkpoint
