// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Verbosity, TellsWhatARunDoes) {
  const io::TemporaryFolder folder;
  CapturedLog log;
  auto train = [](const Job& job) { run(job, caching_client()); };
  Job job = line_job(folder.path() / "run");
  job.config.max_step = 4;
  job.learner.groups[0].update_rules = {{"line/b", optim::UpdateType::no_update}};
  job.config.verbosity = 3;
  train(job);
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("compiled a program"), HasSubstr("no gradient for line/b"),
                    HasSubstr("step 2: saving"), HasSubstr("step 3: starting an update")));
  log.clear();
  job.config.max_step = 5;
  job.config.verbosity = 1;
  train(job);
  EXPECT_THAT(log.text(), AllOf(HasSubstr("restoring model/line/w f32[4]"),
                                Not(HasSubstr("saving")), Not(HasSubstr("starting an update"))));
  log.clear();
  job.config.max_step = 6;
  job.config.verbosity = 0;
  train(job);
  EXPECT_THAT(log.text(), Not(HasSubstr("restoring model")));
}

}  // namespace
}  // namespace meshwright::train
