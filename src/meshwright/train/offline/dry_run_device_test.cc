// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/train/offline/dry_run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;

/// Has an evaluation method that records the dtype it computes in each time it is traced.
class NotingLine : public LineTask {
 public:
  std::map<std::string, EvalMethod> eval_methods() const override {
    const EvalMethod loss = loss_method(*this);
    return {{"loss", {.run = [this, loss](const TaskInput& input) {
               traced.push_back(leaves(input.params).front().type().dtype);
               return loss.run(input);
             }}}};
  }

  mutable std::vector<DType> traced;
};

TEST(DryRun, TracesEvaluatorsInTheirDtypeAsARunDoes) {
  const io::TemporaryFolder folder;
  const auto task = std::make_shared<NotingLine>();
  Job job = line_job(folder.path() / "run");
  job.task = task;
  job.config.evaluators["narrow"] = {.method = "loss", .num_batches = 1, .dtype = "bf16"};
  job.config.evaluators["wide"] = {.method = "loss", .num_batches = 1};
  job.eval_sources["narrow"] = job.eval_sources["wide"] = std::make_shared<Points>();

  // "held_out" of line_job(), "narrow", "wide".
  dry_run(job, caching_client());
  EXPECT_THAT(std::exchange(task->traced, {}), ElementsAre(f32, bf16, f32));
  run(job, caching_client());
  EXPECT_THAT(task->traced, ElementsAre(f32, bf16, f32));
}

}  // namespace
}  // namespace meshwright::train
