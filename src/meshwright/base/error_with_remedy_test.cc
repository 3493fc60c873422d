// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error_with_remedy.h"

#include <functional>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

ErrorWithRemedy caught(const std::function<void()>& action) {
  try {
    action();
  } catch (const ErrorWithRemedy& error) {
    return error;
  }
  ADD_FAILURE() << "no error with a remedy";
  return ErrorWithRemedy(ErrorCode::internal, "", {RemedyKind::go_back, "", ""});
}

TEST(ErrorWithRemedy, SaysWhatUsersOfTheLibraryCanDo) {
  const ErrorWithRemedy error = caught([] {
    fail_with_remedy(ErrorCode::no_checkpoint,
                     {RemedyKind::start_fresh, "to start from scratch", "Job::fresh"}, "step ", 3,
                     " is damaged");
  });
  EXPECT_STREQ(error.what(), "step 3 is damaged\nto start from scratch: Job::fresh");
  EXPECT_EQ(error.cause(), "step 3 is damaged");
  EXPECT_EQ(error.remedy().kind, RemedyKind::start_fresh);
  EXPECT_EQ(error.code(), ErrorCode::no_checkpoint);
}

TEST(ErrorWithRemedy, StartsFresh) {
  const Remedy remedy = start_fresh("anyway");
  EXPECT_EQ(remedy.kind, RemedyKind::start_fresh);
  EXPECT_EQ(remedy_line(remedy, remedy.library), "to start from scratch anyway: Job::fresh");
}

TEST(ErrorWithRemedy, SetsKeysOfAConfig) {
  const Remedy remedy = set_config("to go on", {{"a.b", "1"}, {"c", "two"}});
  EXPECT_EQ(remedy.library, "a.b = 1, c = two");
  EXPECT_EQ(remedy.arguments, (std::vector<std::string>{"a.b", "1", "c", "two"}));
}

TEST(FailAfter, KeepsTheRemedy) {
  const ErrorWithRemedy inner(ErrorCode::data_loss, "other data",
                              set_config("use it", {{"a", "b"}}));
  const ErrorWithRemedy outer = caught([&] { fail_after("step 3: ", inner); });
  EXPECT_STREQ(outer.what(), "step 3: other data\nuse it: a = b");
  EXPECT_EQ(outer.remedy().kind, RemedyKind::set_config);
  try {
    fail_after("step 3: ", Error(ErrorCode::data_loss, "plain"));
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "step 3: plain");
  }
}

}  // namespace
}  // namespace meshwright
