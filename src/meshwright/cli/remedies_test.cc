// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/remedies.h"

#include <exception>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {
namespace {

std::string words(RemedyKind kind, std::vector<std::string> arguments = {}) {
  return in_program({kind, "", "", std::move(arguments)});
}

bool has_option(std::string_view command, const std::string& name) {
  const Command& found = find_command("", commands(), std::string(command));
  const CommandBody body = found.body(std::string(command));
  for (const Option& option : body.arguments().options)
    if (name.starts_with(option.name)) return true;
  return false;
}

TEST(InProgram, NamesOptionsThatExist) {
  EXPECT_TRUE(has_option("train", words(RemedyKind::start_fresh)));
  EXPECT_TRUE(has_option("train", words(RemedyKind::go_back)));
  EXPECT_TRUE(has_option("train", words(RemedyKind::choose_plugin)));
  EXPECT_TRUE(has_option("generate", words(RemedyKind::limit_tokens)));
  EXPECT_FALSE(has_option("train", words(RemedyKind::limit_tokens)));
}

TEST(InProgram, FillsInArguments) {
  EXPECT_EQ(words(RemedyKind::limit_tokens, {"63"}), "--max-tokens 63");
  EXPECT_EQ(words(RemedyKind::set_config, {"a.b", "1", "c", "x"}), "a.b=1 c=x");
  EXPECT_EQ(words(RemedyKind::list_keys, {""}), "meshwright config docs");
  EXPECT_EQ(words(RemedyKind::list_keys, {"optimizer"}), "meshwright config explain optimizer");
}

TEST(MessageInProgram, ReplacesTheWordsOfTheLibrary) {
  const ErrorWithRemedy error(ErrorCode::no_checkpoint, "step 3 is damaged",
                              {RemedyKind::start_fresh, "to start from scratch", "Job::fresh"});
  EXPECT_EQ(message_in_program(error), "step 3 is damaged\nto start from scratch: --fresh");
  EXPECT_EQ(message_in_program(Error(ErrorCode::internal, "a\nb")), "a\nb");
  const Failure failure = describe_failure(std::make_exception_ptr(error));
  EXPECT_EQ(failure.message, "step 3 is damaged\nto start from scratch: --fresh");
  EXPECT_EQ(failure.exit_code, ExitCode::no_checkpoint);
}

}  // namespace
}  // namespace meshwright::cli
