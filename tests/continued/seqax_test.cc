// SPDX-License-Identifier: Apache-2.0
// Continues from a checkpoint that seqax's trainer wrote after 3 steps.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "continued_job.h"
#include "continued_run.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::test_continued {
namespace {

constexpr std::int64_t kBatch = 4, kLength = 8;
constexpr int kFirst = 4, kLast = 13;

// The batches that seqax read. Its model has a 0 before each row instead of the previous token.
class GoldenTokens : public data::Source {
 public:
  std::string name() const override { return "golden_tokens"; }
  const data::BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override { return {}; }

  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    data::Batch out = data::empty_lm_batch(rows.size(), kLength);
    const auto inputs = out.at(data::kInputs).value().mutable_values<std::int32_t>();
    const auto targets = out.at(data::kTargets).value().mutable_values<std::int32_t>();
    std::ranges::fill(out.at(data::kWeights).value().mutable_values<float>(), 1.F);
    const auto tokens = tokens_.values<std::int32_t>().subspan(
        static_cast<std::size_t>((step * kBatch + rows.start) * kLength));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets[i] = tokens[i];
      inputs[i] = i % kLength == 0 ? 0 : tokens[i - 1];
    }
    return out;
  }

 private:
  HostTensor tokens_ = golden("seqax/run/tokens.npy");
  data::BatchSpec spec_ = data::lm_batch_spec(kBatch, kLength);
};

void train(const ContinuedRun& run, const std::vector<std::string>& words = {}) {
  train_on(std::make_shared<GoldenTokens>(), run, "seqax", kLast, words);
}

TEST(SeqaxRun, TenUpdatesFromItsCheckpointAreItsOwn) {
  const ContinuedRun run("seqax");
  train(run);
  expect_metrics(run, "seqax", kFirst, kLast);
  expect_floats(run.arrays("0000000013"), golden("seqax/run/after_step_13.npy"), 2e-6);
}

TEST(SeqaxRun, TenUpdatesOnFourDevicesAreItsOwn) {
  const ContinuedRun run("seqax");
  train(run,
        {"mesh.num_devices=4", "mesh.axes={ d = 2, t = 2 }", R"(sharding.params.embed="d")",
         R"(sharding.params.kv="t")", R"(sharding.params.mlp="t")", R"(sharding.params.vocab="t")",
         R"(sharding.activations.batch="d")", R"(sharding.activations.kv="t")",
         R"(sharding.activations.mlp="t")", R"(sharding.activations.vocab="t")"});
  expect_metrics(run, "seqax", kFirst, kLast);
  expect_floats(run.arrays("0000000013"), golden("seqax/run/after_step_13.npy"), 2e-6);
}

}  // namespace
}  // namespace meshwright::test_continued
