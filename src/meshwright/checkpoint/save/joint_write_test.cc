// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/joint_write.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/joint_testutil.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

enum class End { committed, failed, died };

struct Save {
  const Format& format;
  Files files;
  Contents contents;
  int num_processes = 1;
  int faulty_process = 0;
  io::Fault fault = {};
};

End run_process(const Save& save, int process, Meeting& meeting) {
  Files files = save.files;
  if (process == save.faulty_process)
    files = std::make_shared<io::FaultyFileSystem>(files, save.fault);
  const WriteOptions options{.process = process, .num_processes = save.num_processes};
  try {
    write_part(save.format, files, save.contents, options, meeting);
    return End::committed;
  } catch (const Died&) {
    meeting.record_gone();
    return End::died;
  } catch (const Error&) {
    return End::failed;
  }
}

// The result of each process.
std::vector<End> write(const Save& save) {
  Meeting meeting(save.num_processes);
  std::vector<End> out(static_cast<std::size_t>(save.num_processes));
  std::vector<std::thread> threads;
  for (int process = 0; process < save.num_processes; ++process) {
    threads.emplace_back([&, process] {
      out[static_cast<std::size_t>(process)] = run_process(save, process, meeting);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  return out;
}

class JointWrite : public testing::TestWithParam<std::string> {
 protected:
  const Format& format = format_named(GetParam());
  ScopedLogHandler quiet{[](Severity, std::string_view) {}};
};

TEST_P(JointWrite, IsWhatOneProcessWouldHaveWritten) {
  auto alone = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format, alone, "run", sample_contents(1));
  for (int num_processes : {1, 2, 3, 4}) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    EXPECT_THAT(write({format, files, sample_contents(1), num_processes}),
                testing::Each(End::committed));
    EXPECT_EQ(files->files(), alone->files());
    for (const std::string& file : files->files())
      EXPECT_EQ(files->content(file), alone->content(file)) << file;
  }
}

struct Trial {
  int num_processes = 0;
  int faulty_process = 0;
  bool replaces = false;
  bool loses_power = false;
};

// Returns true if the process completed before that call.
bool expect_nothing_lost(const Format& format,
                         const Trial& trial,
                         io::Fault fault,
                         Judged& judged) {
  const std::string old = digest(contents_of(1, 1));
  const std::int64_t step = trial.replaces ? 1 : 2;
  const States before = {{1, old}};
  States after = before;
  after[step] = digest(contents_of(step, 7));

  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format, files, "run", contents_of(1, 1), {}, 1);
  const std::vector<End> ends = write({format, files, contents_of(step, 7), trial.num_processes,
                                       trial.faulty_process, std::move(fault)});
  const bool are_done = std::ranges::count(ends, End::committed) == trial.num_processes;
  const bool is_one_committed = std::ranges::count(ends, End::committed) > 0;
  if (trial.loses_power) files->lose_power();
  if (judged.knows(*files, str(step, are_done, is_one_committed))) return are_done;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const States found = restore_all(format, files);
    EXPECT_TRUE(found == after || (!are_done && found == before)) << testing::PrintToString(found);
    // No process can have seen a commit that did not happen.
    EXPECT_TRUE(found != before || !is_one_committed);
    recover(format, files, "run");
  }
  write_checkpoint(format, files, "run", contents_of(step, 7), {}, 1);
  EXPECT_EQ(restore_all(format, files), after);
  EXPECT_EQ(files->list("run").size(), after.size()) << "files are left over";
  return are_done;
}

// Up to the last call of the faulty process.
template <typename MakeFault>
void expect_nothing_lost_until_done(const Format& format,
                                    const Trial& trial,
                                    std::size_t stride,
                                    const MakeFault& make_fault,
                                    Judged& judged) {
  for (std::size_t n = 1;; n += stride) {
    SCOPED_TRACE(str("process ", trial.faulty_process, " of ", trial.num_processes, " at call ", n,
                     trial.replaces ? ", replacing" : ""));
    if (expect_nothing_lost(format, trial, make_fault(n), judged)) return;
    if (testing::Test::HasFailure()) return;
  }
}

// With two processes, every call of each, or every `stride`-th. With more, some calls of each,
// since the additional ones do the same. For the first process, which alone removes a replaced
// step, as many as if there were one.
template <typename MakeFault>
void expect_nothing_lost_at_any_call(const Format& format,
                                     std::size_t stride,
                                     const MakeFault& make_fault) {
  Judged judged;
  for (int num_processes : {2, 3, 4}) {
    if (num_processes > 2) stride = 7;
    for (int faulty = 0; faulty < num_processes; ++faulty) {
      Trial trial{num_processes, faulty, /*replaces=*/true, faulty % 2 == 0};
      expect_nothing_lost_until_done(format, trial, stride, make_fault, judged);
      trial.replaces = false;
      if (faulty == 0 || num_processes > 2)
        expect_nothing_lost_until_done(format, trial, stride, make_fault, judged);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(JointWrite, LosesNothingWhicheverProcessEndsWherever) {
  expect_nothing_lost_at_any_call(format, 1, die_at);
}

TEST_P(JointWrite, CommitsNoneOfWhichAPartIsMissing) {
  // Errors alternate between once and permanent.
  expect_nothing_lost_at_any_call(format, 3, [](std::size_t n) {
    const ErrorCode code = n % 2 == 0 ? ErrorCode::unavailable : ErrorCode::resource_exhausted;
    return io::fail_at(n, code, n / 2 % 2 == 0);
  });
}

TEST_P(JointWrite, SaysWhoseErrorItIs) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  Meeting meeting(2);
  std::string heard;
  std::thread other([&] {
    try {
      write_jointly(format, files, "run", plan_of(sample_contents(1)),
                    {{.process = 1, .num_processes = 2},
                     [&](bool is_well) { return meeting.agree(is_well); }},
                    [](CheckpointWriter&) { fail(ErrorCode::resource_exhausted, "no room"); });
    } catch (const Error& error) {
      heard = error.what();
    }
  });
  const Error error = thrown_by([&] {
    write_jointly(
        format, files, "run", plan_of(sample_contents(1)),
        {{.process = 0, .num_processes = 2}, [&](bool is_well) { return meeting.agree(is_well); }},
        [](CheckpointWriter&) {});
  });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.what(), testing::HasSubstr("another of 2 processes failed to write"));
  other.join();
  EXPECT_EQ(heard, "no room");
  EXPECT_THAT(files->files(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         JointWrite,
                         testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace meshwright::checkpoint
