// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/tasks/sample_prompts.h"

namespace meshwright::tasks {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kLen = 16;

// A row of documents of these lengths, and padding. The weights of the targets are 0 up to the
// first of the question's answer.
struct Row {
  std::vector<std::int64_t> documents;
  std::int64_t question = 0;
};

// Returns the lengths of the prompts.
std::vector<double> prompt_lengths(const std::vector<Row>& rows, bool has_segments = true) {
  const auto num_rows = std::ssize(rows);
  std::vector<std::int32_t> inputs, segments;
  std::vector<float> weights;
  for (const Row& row : rows) {
    std::int32_t number = 0;
    const std::size_t end = segments.size() + kLen;
    for (const std::int64_t length : row.documents)
      segments.insert(segments.end(), static_cast<std::size_t>(length), ++number);
    segments.resize(end, 0);
    for (std::int64_t i = 0; i < kLen; ++i) {
      inputs.push_back(static_cast<std::int32_t>(i));
      weights.push_back(i < row.question ? 0 : 1);
    }
  }
  graph::Tracer tracer({.mesh = {}, .dims = {}, .activations = {}});
  train::ValueTree batch, params;
  batch[data::kInputs] = graph::constant(HostTensor::from(inputs, {num_rows, kLen}));
  batch[data::kWeights] = graph::constant(HostTensor::from(weights, {num_rows, kLen}));
  if (has_segments)
    batch[data::kSegments] = graph::constant(HostTensor::from(segments, {num_rows, kLen}));
  const Prompts found = sample_prompts({params, batch, graph::random::key(0)});
  auto program = runtime::test_client().compile(tracer.finish({found.ids, found.lengths}));
  const std::vector<HostTensor> out = runtime::run(program, {});
  for (std::int64_t i = 0; i < out[0].dims()[1]; ++i)
    EXPECT_EQ(out[0].to_doubles()[static_cast<std::size_t>(i)], i);
  return out[1].to_doubles();
}

TEST(SamplePrompts, AreAQuarterOfARow) {
  EXPECT_THAT(prompt_lengths({{{3, 13}}, {{16}}}, false), ElementsAre(4, 4));
}

TEST(SamplePrompts, LieInTheFirstDocument) {
  EXPECT_THAT(prompt_lengths({{{16}}, {{6, 10}}, {{3, 5, 8}}, {{1, 15}}, {{2}}, {{}}}),
              ElementsAre(4, 3, 1, 1, 1, 4));
}

TEST(SamplePrompts, AreTheQuestionBeforeAnAnswer) {
  // Targets are one token ahead: 5 unlearnt targets are a question of 6 tokens.
  EXPECT_THAT(prompt_lengths({{{10, 6}, 5}, {{16}, 1}, {{16}, 15}, {{6, 10}, 8}}),
              ElementsAre(6, 2, 12, 3));
}

}  // namespace
}  // namespace meshwright::tasks
