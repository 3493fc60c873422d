// SPDX-License-Identifier: Apache-2.0
#include "continued_job.h"

#include <utility>

#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/job.h"
#include "meshwright/config/config.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::test_continued {

void train_on(std::shared_ptr<const data::Source> source,
              const ContinuedRun& run,
              const std::string& system,
              int max_step,
              std::vector<std::string> words) {
  const ScopedLogHandler quiet([](Severity, std::string_view) {});
  words.push_back(str("dir=", run.checkpoints().parent_path().string()));
  words.push_back(str("max_step=", max_step));
  const auto config = config::load<cli::RunConfig>(str(CONFIGS "/", system, ".toml"), words);
  const int num_devices = static_cast<int>(config.mesh.num_devices);
  const runtime::Client client = runtime::open({.num_devices = num_devices});
  train::Job job = cli::make_job(config, client.devices());
  job.source = std::move(source);
  train::run(job, client);
}

void expect_metrics(const ContinuedRun& run,
                    const std::string& system,
                    int first,
                    int last,
                    double norm_tolerance,
                    const std::string& rate) {
  const HostTensor expected = golden(system + "/run/metrics.npy");
  for (int step = first; step <= last; ++step) {
    const auto row =
        expected.values<float>().subspan(3 * static_cast<std::size_t>(step - first), 3);
    EXPECT_NEAR(run.metric(step, "loss"), row[0], 1e-6 * row[0]) << step;
    EXPECT_NEAR(run.metric(step, "gradient_norm"), row[1], norm_tolerance * row[1]) << step;
    EXPECT_NEAR(run.metric(step, rate), row[2], 1e-6 * row[2]) << step;
  }
}

}  // namespace meshwright::test_continued
