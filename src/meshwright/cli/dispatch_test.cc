// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/dispatch.h"

#include <cstdlib>
#include <new>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

struct CountArgs {
  Args all;
  void declare(ArgumentParser& parser) {
    parser.description("Counts.");
    parser.positionals(all, {"WORD..."}, "words to count");
  }
};

struct NoArgs {
  void declare(ArgumentParser& /*parser*/) {}
};

CommandBody count(const std::string& name) {
  return make_command<CountArgs>(
      name, [](const CountArgs& args) { return static_cast<int>(args.all.size()); });
}

template <void (*failure)()>
CommandBody failing(const std::string& name) {
  return make_command<NoArgs>(name, [](const NoArgs&) {
    failure();
    return 0;
  });
}

void lack_plugin() {
  fail(ErrorCode::device, "no plugin\nfetch it");
}
void fail_internally() {
  fail(ErrorCode::internal, "region has no owner");
}
void throw_logic_error() {
  throw std::logic_error("bad index");
}
void run_out_of_memory() {
  throw std::bad_alloc();
}

constexpr Command kInnerCommands[] = {{"count", "counts its words", count}};

const CommandGroup& inner_group() {
  static constexpr CommandGroup kGroup{"Inner commands.", kInnerCommands};
  return kGroup;
}

constexpr Command kTestCommands[] = {
    {"count", "counts its words", count},      {"inner", "has commands", nullptr, inner_group},
    {"device", "", failing<lack_plugin>},      {"oops", "", failing<fail_internally>},
    {"logic", "", failing<throw_logic_error>}, {"memory", "", failing<run_out_of_memory>},
};

constexpr CommandGroup kTestProgram{"Tests.", kTestCommands};

Outcome run(const Args& args) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = dispatch(args, kTestProgram);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(Dispatch, HandsTheRemainingWordsToTheCommand) {
  EXPECT_EQ(run({"count", "a", "--", "--b"}).code, 2);
}

TEST(Dispatch, PrintsHelpAndVersionToStdout) {
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("count       counts its words\n"));
  EXPECT_EQ(help.err, "");
}

TEST(Dispatch, VersionNamesCommitAndPlugins) {
  setenv("MESHWRIGHT_PLUGIN_PATH", "no/such/plugin.so", /*replace=*/1);
  const Outcome version = run({"--version"});
  unsetenv("MESHWRIGHT_PLUGIN_PATH");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("meshwright 0."));
  EXPECT_THAT(version.out, HasSubstr("(commit "));
  EXPECT_THAT(version.out, HasSubstr("\nplugin cpu: "));
  EXPECT_THAT(version.out, HasSubstr("no/such/plugin.so"));
}

TEST(Dispatch, WithoutACommandPrintsHelpAndFailsAsUsage) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("usage: meshwright COMMAND"));
}

TEST(Dispatch, NamesTheNearestCommand) {
  const Outcome outcome = run({"conut"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "meshwright: unknown command 'conut'\ndid you mean: meshwright count\n");
  EXPECT_THAT(run({"zzzzzz"}).err, HasSubstr("see: meshwright --help"));
}

TEST(Dispatch, TurnsAnErrorIntoItsExitCodeAndMessage) {
  const Outcome outcome = run({"device"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_EQ(outcome.err, "meshwright: no plugin\nfetch it\n");
}

TEST(Dispatch, AsksForAReportOfOurBugs) {
  for (const char* command : {"oops", "logic"}) {
    const Outcome outcome = run({command});
    EXPECT_EQ(outcome.code, 70);
    EXPECT_THAT(outcome.err, HasSubstr("please report it"));
    EXPECT_THAT(outcome.err, HasSubstr("meshwright 0."));
  }
  EXPECT_THAT(run({"oops"}).err, HasSubstr("region has no owner"));
}

TEST(Dispatch, LackOfMemoryIsNoBug) {
  const Outcome outcome = run({"memory"});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.err, HasSubstr("out of host memory"));
}

TEST(ExitCodes, AreThoseThatScriptsRelyOn) {
  const std::pair<ErrorCode, int> expected[] = {
      {ErrorCode::invalid_argument, 2}, {ErrorCode::not_found, 2}, {ErrorCode::already_exists, 2},
      {ErrorCode::unimplemented, 2},    {ErrorCode::data_loss, 3}, {ErrorCode::no_checkpoint, 4},
      {ErrorCode::numerics, 5},         {ErrorCode::device, 6},    {ErrorCode::unavailable, 75},
      {ErrorCode::internal, 70},
  };
  for (const auto& [code, exit_code] : expected)
    EXPECT_EQ(static_cast<int>(exit_code_of(code)), exit_code) << error_code_name(code);
}

TEST(Dispatch, RunsCommandsOfAGroup) {
  EXPECT_EQ(run({"inner", "count", "a", "b"}).code, 2);
  EXPECT_EQ(run({"inner"}).code, 2);
  EXPECT_THAT(run({"inner", "--help"}).out, HasSubstr("usage: meshwright inner COMMAND"));
  EXPECT_EQ(run({"inner", "conut"}).err,
            "meshwright: unknown command 'inner conut'\ndid you mean: meshwright inner count\n");
}

TEST(Dispatch, HelpOfACommandIsWhatTheCommandPrints) {
  const std::string help = run({"inner", "count", "--help"}).out;
  EXPECT_THAT(help, StartsWith("usage: meshwright inner count WORD...\n"));
  EXPECT_EQ(run({"help", "inner", "count"}).out, help);
}

void check_table(const CommandGroup& group) {
  std::set<std::string_view> names;
  EXPECT_NE(group.description, "");
  for (const Command& command : group.commands) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name << " appears twice";
    EXPECT_NE(command.summary, "") << command.name;
    EXPECT_NE(command.body == nullptr, command.group == nullptr) << command.name;
    if (command.group != nullptr) {
      check_table(command.group());
    } else {
      EXPECT_NE(command.body("x").arguments().description, "") << command.name;
    }
  }
}

TEST(Commands, HaveDistinctNamesAndSummaries) {
  check_table(commands());
}

}  // namespace
}  // namespace meshwright::cli
