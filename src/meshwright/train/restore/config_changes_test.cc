// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/config_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text(const std::string& before, const std::string& now) {
  return text_of(config_changes(before, now, false));
}

TEST(ConfigChanges, HaveBothValues) {
  EXPECT_EQ(text("seed = 1\n[optimizer]\nb1 = 0.9\n", "seed = 1\n[optimizer]\nb1 = 0.8\n"),
            "\n  optimizer.b1: 0.9 before, 0.8 now");
  EXPECT_EQ(text("a = 1\n", "b = 2\n"), "\n  a: 1 before, (none) now\n  b: (none) before, 2 now");
  EXPECT_EQ(text("a = [{n = 1}, {n = 2}]\n", "a = [{n = 1}, {n = 3}]\n"),
            "\n  a.1.n: 2 before, 3 now");
}

TEST(ConfigChanges, OfAnotherTypeAreToldWithoutItsOtherKeys) {
  EXPECT_EQ(text("[optimizer]\ntype = 'adamw'\nb1 = 0.9\nlr = 1\n",
                 "[optimizer]\ntype = 'lion'\nmomentum = 0.9\nlr = 2\n"),
            "\n  optimizer.type: \"adamw\" before, \"lion\" now\n  optimizer.lr: 1 before, 2 now");
}

TEST(ConfigChanges, OfLongValuesShowWhereTheyDiffer) {
  const std::string same(200, 'x');
  const std::string found = text("a = '" + same + "1'\n", "a = '" + same + "2'\n");
  EXPECT_THAT(found, AllOf(HasSubstr("x1\" before"), HasSubstr("x2\" now")));
}

TEST(ConfigChanges, AreNoneWhereAConfigIsMissingOrUnreadable) {
  for (const char* other : {"", "= no TOML", "a = "}) {
    EXPECT_THAT(config_changes("a = 1\n", other, true), IsEmpty());
    EXPECT_THAT(config_changes(other, "a = 1\n", true), IsEmpty());
  }
  EXPECT_THAT(config_changes("a = nan\n", "a = nan # still\n", true), IsEmpty());
}

TEST(ConfigChanges, AreHarmlessIfTheyTouchNoUpdate) {
  for (const char* key : {"dir", "log.n", "log.0.n", "log", "log_prefix", "summaries.type", "wandb",
                          "trace.num_steps", "watchdog.timeout_seconds", "checkpoint.when.n",
                          "checkpoint.when.1.n", "checkpoint.threads", "checkpoint.restore_match",
                          "prefetch.depth", "evaluators.held_out.when.n", "evaluators.a.num_shown",
                          "init_state", "init_state.step", "sdc_check.action"})
    EXPECT_TRUE(is_harmless(key, true)) << key;
  for (const char* key :
       {"seed", "optimizer.learning_rate.peak", "optimizer.log", "task.model.layers",
        "data.batch_size", "data.dir", "checkpoint.keep_last_n", "checkpoint.format",
        "evaluators.held_out.data.batch_size", "prefetch.resume", "mesh.axes.data", "train_dtype",
        "logs", "num_microbatches", "kernels", "non_finite.action", "early_stopping.patience"})
    EXPECT_FALSE(is_harmless(key, false)) << key;
}

TEST(ConfigChanges, OfTheNumberOfStepsAreHarmlessUnlessSchedulesFollowIt) {
  EXPECT_TRUE(is_harmless("max_step", /*is_scheduled=*/false));
  EXPECT_FALSE(is_harmless("max_step", /*is_scheduled=*/true));
}

TEST(ConfigChanges, AreWarningsUnlessHarmless) {
  std::string warned, noted;
  const ScopedLogHandler handler([&](Severity severity, std::string_view message) {
    (severity == Severity::warning ? warned : noted) += message;
  });
  tell(config_changes("seed = 1\nlog = 1\n", "seed = 2\nlog = 2\n", false), 7);
  EXPECT_EQ(warned,
            "the config has changed since the checkpoint of step 7:"
            "\n  seed: 1 before, 2 now");
  EXPECT_THAT(noted, AllOf(HasSubstr("\n  log: 1 before, 2 now"), Not(HasSubstr("seed"))));
  warned = noted = "";
  tell({}, 7);
  EXPECT_EQ(warned + noted, "");
}

TEST(ConfigChanges, OfTheStateAreThoseOfModelAndLearner) {
  const std::string before = "seed = 1\ntask = {n = 1}\nlearner = {n = 1}\ntasks = 1\n";
  const std::string now = "seed = 2\ntask = {n = 2}\nlearner = {n = 2}\ntasks = 2\n";
  std::vector<std::string> keys;
  for (const ConfigChange& change : changes_of_state(config_changes(before, now, true)))
    keys.push_back(change.key);
  EXPECT_THAT(keys, ElementsAre("task.n", "learner.n"));
}

}  // namespace
}  // namespace meshwright::train
