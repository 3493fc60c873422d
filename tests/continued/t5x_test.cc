// SPDX-License-Identifier: Apache-2.0
// Continues from a checkpoint that T5X's Checkpointer wrote after 3 steps.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "continued_job.h"
#include "continued_run.h"
#include "meshwright/data/core/seq2seq_batch.h"

namespace meshwright::test_continued {
namespace {

constexpr std::int64_t kBatch = 4, kSource = 7, kLength = 6;
constexpr int kFirst = 4, kLast = 13;

// The batches that T5X read.
class GoldenSequences : public data::Source {
 public:
  std::string name() const override { return "golden_sequences"; }
  const data::BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override { return {}; }

  data::Batch batch(std::int64_t step, data::Rows rows) const override {
    data::Batch out;
    out[data::kEncoderInputs] = cut(inputs_, step, rows);
    out[data::kDecoderInputs] = cut(shifted_, step, rows);
    out[data::kTargets] = cut(targets_, step, rows);
    HostTensor weights({f32, {rows.size(), kLength}});
    std::ranges::transform(out.at(data::kTargets).value().values<std::int32_t>(),
                           weights.mutable_values<float>().begin(), [](std::int32_t target) {
                             return target == data::kPadToken ? 0.F : 1.F;
                           });
    out[data::kWeights] = weights;
    return out;
  }

 private:
  // Returns rows of an array [steps, batch, length].
  static HostTensor cut(const HostTensor& all, std::int64_t step, data::Rows rows) {
    const std::int64_t length = all.dims()[2];
    HostTensor out({s32, {rows.size(), length}});
    const auto from = all.values<std::int32_t>().subspan(
        static_cast<std::size_t>((step * kBatch + rows.start) * length),
        static_cast<std::size_t>(rows.size() * length));
    std::ranges::copy(from, out.mutable_values<std::int32_t>().begin());
    return out;
  }

  HostTensor inputs_ = golden("t5x/run/encoder_inputs.npy");
  HostTensor shifted_ = golden("t5x/run/decoder_inputs.npy");
  HostTensor targets_ = golden("t5x/run/targets.npy");
  data::BatchSpec spec_ = data::seq2seq_batch_spec(kBatch, kSource, kLength);
};

void expect_as_t5x(const std::vector<std::string>& words) {
  const ContinuedRun run("t5x");
  train_on(std::make_shared<GoldenSequences>(), run, "t5x", kLast, words);
  expect_metrics(run, "t5x", kFirst, kLast, 1e-5);
  expect_floats(run.arrays("checkpoint_13"), golden("t5x/run/after_step_13.npy"), 1e-5);
}

TEST(T5xRun, TenUpdatesFromItsCheckpointAreItsOwn) {
  expect_as_t5x({});
}

TEST(T5xRun, TenUpdatesOnThreeDevicesAreItsOwn) {
  expect_as_t5x({"mesh.num_devices=3", "mesh.axes={ d = 3 }", R"(sharding.params.mlp="d")",
                 R"(sharding.params.kv="d")", R"(sharding.params.vocab="d")"});
}

}  // namespace
}  // namespace meshwright::test_continued
