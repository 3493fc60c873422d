// SPDX-License-Identifier: Apache-2.0
// A run within this process, on the batches that another system read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "continued_run.h"
#include "meshwright/data/core/source.h"

namespace meshwright::test_continued {

/// Trains the system's config to this step, on the batches of `source`.
void train_on(std::shared_ptr<const data::Source> source,
              const ContinuedRun& run,
              const std::string& system,
              int max_step,
              std::vector<std::string> words = {});

/// Compares each step with a row of tests/golden/SYSTEM/run/metrics.npy: loss, gradient norm before
/// clipping, and learning rate, which is the metric `rate`.
void expect_metrics(const ContinuedRun& run,
                    const std::string& system,
                    int first,
                    int last,
                    double norm_tolerance = 2e-6,
                    const std::string& rate = "learning_rate");

}  // namespace meshwright::test_continued
