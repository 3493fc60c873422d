// SPDX-License-Identifier: Apache-2.0
// The trainer's memory use stays constant over thousands of steps with reports, evaluations and
// saves.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"
#include "resident_memory.h"

namespace meshwright::train {
namespace {

// Large batches; records the memory in use when some of them are made.
class Watching : public Points {
 public:
  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    if (step % 500 == 0) mib[step] = resident_mib();
    return Points::batch(step, rows);
  }
  mutable std::map<std::int64_t, double> mib;
};

TEST(TrainSoak, TheTrainersMemoryStaysFlat) {
  const ScopedLogHandler silent([](Severity, std::string_view) {});
  io::TemporaryFolder folder;
  auto source = std::make_shared<Watching>();
  Job job = line_job(folder.path() / "run");
  job.source = source;
  job.config.max_step = 4001;
  job.config.prefetch.batches.num_threads = 1;
  job.config.loop.log = When{EveryN{.n = 10}};
  job.config.checkpoint.when = When{EveryN{.n = 50}};
  job.config.evaluators["held_out"].when = When{EveryN{.n = 50}};
  run(job, runtime::test_client());
  // A few KiB leaked per step would be several MiB: 8 KiB make 24.
  EXPECT_LT(source->mib.at(4000) - source->mib.at(1000), 8)
      << "of " << source->mib.at(1000) << " MiB";
}

}  // namespace
}  // namespace meshwright::train
