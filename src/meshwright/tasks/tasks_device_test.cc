// SPDX-License-Identifier: Apache-2.0
// Axes: batch, classes, src, len.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/threefry.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/seq2seq_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"

namespace meshwright::tasks {
namespace {

using graph::Value;
using testing::HasSubstr;
using train::ValueTree;

using Body = std::function<std::vector<Value>(const ValueTree& params)>;

using HostParams = std::vector<HostTensor>;

// Fills each parameter with numbers, without a program that would draw them.
HostParams made_up_params(const train::Task& task) {
  HostParams out;
  for_each(task.param_specs(), [&](const ParamSpec& spec) {
    HostTensor value(spec.type);
    const threefry::KeyWords key = threefry::key(std::ssize(out));
    std::uint64_t next = 0;
    for (float& x : value.mutable_values<float>())
      x = static_cast<float>(std::ldexp(threefry::bits32(key, next++), -32)) - 0.5f;
    out.push_back(std::move(value));
  });
  return out;
}

// Returns the results of a body for these parameters of a task.
std::vector<HostTensor> run(const train::Task& task, const Body& body) {
  const HostParams values = made_up_params(task);
  graph::Tracer tracer({.mesh = {}, .dims = task.dims(), .activations = {}});
  std::vector<Value> args;
  for (const HostTensor& value : values)
    args.push_back(tracer.argument(value.type()));
  std::vector<Value> results = body(with_leaves(task.param_specs(), args));
  auto program = runtime::test_client().compile(tracer.finish(std::move(results)));
  return runtime::run(program, values);
}

Value numbers(const std::vector<std::int32_t>& values, Dims dims) {
  return graph::constant(HostTensor::from(values, std::move(dims)));
}

constexpr data::ImageShape kImages{.height = 4, .width = 4, .channels = 1};

ImageClassificationConfig small_classifier(ClassifierLoss loss) {
  ImageClassificationConfig out;
  out.model.classes = 3;
  out.model.patch = 2;
  out.model.layers = 1;
  out.model.embed = 8;
  out.model.heads = 2;
  out.model.mlp = 8;
  out.loss = loss;
  out.label_smoothing = 0.1;
  return out;
}

// Returns the loss of two images with logits 1, -2, 0.5; the second image has weight 0.
double loss_of(ClassifierLoss kind) {
  ImageClassificationTask task(small_classifier(kind), kImages);
  std::vector<HostTensor> out = run(task, [&](ValueTree params) {
    std::string bias;
    for_each(params, [&](const std::string& path, Value) {
      if (path.ends_with("head/bias")) bias = path;
    });
    const std::string weight = bias.substr(0, bias.size() - 4) + "weight";
    params.at(weight) = graph::constant(0.0, f32, params.at(weight).value().dims());
    params.at(bias) = graph::constant(HostTensor::from(std::vector<float>{1, -2, 0.5f}, {3}));
    ValueTree batch;
    batch[data::kImages] = graph::constant(0.5, f32, {2, 4, 4, 1});
    batch[data::kLabels] = numbers({2, 0}, {2});
    batch[data::kExampleWeight] = graph::constant(HostTensor::from(std::vector<float>{1, 0}, {2}));
    train::TaskLoss loss = task.loss({params, batch, graph::random::key(0)});
    return std::vector{loss.loss.mean, loss.loss.weight, loss.metrics.at("accuracy").mean};
  });
  EXPECT_EQ(out[1].to_doubles()[0], 1);
  EXPECT_EQ(out[2].to_doubles()[0], 0);  // the largest logit is not that of label 2
  return out[0].to_doubles()[0];
}

constexpr double kLogits[] = {1, -2, 0.5};
constexpr double kSmoothed[] = {0.1 / 3, 0.1 / 3, 0.9 + 0.1 / 3};

TEST(ImageClassification, SoftmaxLossIsSmoothedCrossEntropy) {
  double sum = 0, expected = 0;
  for (double logit : kLogits)
    sum += std::exp(logit);
  for (int c = 0; c < 3; ++c)
    expected -= kSmoothed[c] * (kLogits[c] - std::log(sum));
  EXPECT_NEAR(loss_of(ClassifierLoss::softmax), expected, 1e-6);
}

TEST(ImageClassification, SigmoidLossAsksForEachClass) {
  double expected = 0;
  for (int c = 0; c < 3; ++c)
    expected += std::log1p(std::exp(kLogits[c])) - kSmoothed[c] * kLogits[c];
  EXPECT_NEAR(loss_of(ClassifierLoss::sigmoid), expected, 1e-6);
}

struct LossOfTokens {
  double loss = 0, weight = 0, accuracy = 0;
  bool operator==(const LossOfTokens&) const = default;
};

// Returns the loss for two rows with these targets and weights.
LossOfTokens loss_of_tokens(LmStyle style,
                            std::optional<std::int64_t> pad_token_id,
                            const std::vector<std::int32_t>& targets,
                            const std::vector<float>& weights) {
  LmConfig config;
  config.model.style = style;
  config.model.vocab = 8;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = 8;
  config.model.kv = config.model.q = 1;
  config.model.dim = 8;
  config.pad_token_id = pad_token_id;
  const LmTask task(config, 3);
  std::vector<HostTensor> out = run(task, [&](const ValueTree& params) {
    ValueTree batch;
    batch[data::kInputs] = numbers({1, 2, 3, 4, 5, 6}, {2, 3});
    batch[data::kTargets] = numbers(targets, {2, 3});
    batch[data::kWeights] = graph::constant(HostTensor::from(weights, {2, 3}));
    train::TaskLoss loss = task.loss({params, batch, graph::random::key(0)});
    return std::vector{loss.loss.mean, loss.loss.weight, loss.metrics.at("accuracy").mean};
  });
  return {out[0].to_doubles()[0], out[1].to_doubles()[0], out[2].to_doubles()[0]};
}

TEST(Lm, PaddingAmongTheTargetsDoesNotCount) {
  const std::vector<float> all(6, 1);
  const LossOfTokens without =
      loss_of_tokens(LmStyle::llama, {}, {2, 1, 1, 5, 1, 7}, {1, 0, 0, 1, 0, 1});
  EXPECT_EQ(without.weight, 3);
  EXPECT_EQ(loss_of_tokens(LmStyle::llama, 0, {2, 0, -1, 5, 0, 7}, all), without);
  EXPECT_EQ(loss_of_tokens(LmStyle::llama, 3, {2, 3, -5, 5, 3, 7}, all), without);
  EXPECT_EQ(loss_of_tokens(LmStyle::llama, -1, {2, -1, -1, 5, -1, 7}, all), without);
  EXPECT_EQ(loss_of_tokens(LmStyle::llama, {}, {2, 0, 1, 5, 0, 7}, all).weight, 6);
  EXPECT_EQ(loss_of_tokens(LmStyle::llama, -1, {2, 0, 1, 5, 0, 7}, all).weight, 6);
}

TEST(Lm, BatchesHaveTokensThatTheModelKnows) {
  LmConfig config;
  config.model.vocab = 8;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = config.model.dim = 8;
  config.model.kv = config.model.q = 1;
  auto complaint = [&](const std::vector<std::int32_t>& inputs,
                       const std::vector<std::int32_t>& targets) {
    const LmTask task(config, 3);
    data::Batch batch;
    batch[data::kInputs] = HostTensor::from(inputs, {1, 3});
    batch[data::kTargets] = HostTensor::from(targets, {1, 3});
    batch[data::kWeights] = HostTensor::from(std::vector<float>{0, 1, 1}, {1, 3});
    return message_of([&] { data::check_integers(batch, task.integer_ranges(), {0, 1}); });
  };
  EXPECT_EQ(complaint({0, 1, 7}, {-100, 0, 7}), "no error");
  EXPECT_THAT(complaint({0, 1, 8}, {0, 0, 0}), HasSubstr("'inputs' is 8 in row 0, position 2"));
  EXPECT_THAT(complaint({0, 0, 0}, {0, 8, 0}), HasSubstr("'targets' is 8 in row 0, position 1"));
  EXPECT_THAT(complaint({0, 0, 0}, {0, -1, 0}), HasSubstr("'targets' is -1"));
  config.pad_token_id = 0;  // then negative targets have no weight
  EXPECT_EQ(complaint({0, 1, 7}, {0, -1, 7}), "no error");
  EXPECT_THAT(complaint({0, -1, 7}, {0, 0, 0}), HasSubstr("'inputs' is -1"));
}

TEST(ImageClassification, LabelsAreClassesThatTheModelHas) {
  const ImageClassificationTask task(small_classifier(ClassifierLoss::softmax), kImages);
  data::Batch batch;
  batch[data::kLabels] = HostTensor::from(std::vector<std::int32_t>{2, 3}, {2});
  EXPECT_THAT(message_of([&] {
                data::check_integers(batch, task.integer_ranges(), {0, 2});
              }),
              HasSubstr("'labels' is 3 in row 1, but the model accepts 0 to 2"));
}

TEST(Lm, ADefaultForPaddingHoldsUnlessTheConfigHasOne) {
  const std::vector<std::int32_t> targets = {2, 0, 1, 5, 0, 7};
  const std::vector<float> all(6, 1);
  LmConfig config;
  config.set_defaults({.padding_id = 0});
  EXPECT_EQ(loss_of_tokens(LmStyle::fuji, config.pad_token_id, targets, all),
            loss_of_tokens(LmStyle::fuji, -1, targets, {1, 0, 1, 1, 0, 1}));
  config.pad_token_id = -1;
  config.set_defaults({.padding_id = 0});
  EXPECT_EQ(loss_of_tokens(LmStyle::fuji, config.pad_token_id, targets, all).weight, 6);
  for (const LmStyle style : {LmStyle::gpt2, LmStyle::seqax, LmStyle::llama})
    EXPECT_EQ(loss_of_tokens(style, {}, targets, all).weight, 6);
}

Seq2SeqTask small_seq2seq(std::optional<std::int64_t> num_beams = {}) {
  Seq2SeqConfig config;
  config.model.vocab = 12;
  config.model.embed = 16;
  config.model.heads = 2;
  config.model.dim = 4;
  config.model.mlp = 16;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.decode.num_beams = num_beams;
  return {config, 5, data::token_numbers()};
}

std::vector<HostTensor> generated(const train::Task& task,
                                  const std::vector<std::int32_t>& prompts,
                                  Dims dims,
                                  const train::GenerateOptions& options) {
  return run(task, [&](const ValueTree& params) {
    Value lengths = graph::constant(4, s32, {dims[0]});
    train::Continuations out =
        task.generate({params, numbers(prompts, dims), lengths, graph::random::key(0)}, options);
    return std::vector{out.ids, out.lengths, out.scores};
  });
}

TEST(Seq2Seq, PaddingOfPromptsChangesNothing) {
  Seq2SeqTask task = small_seq2seq();
  const train::GenerateOptions options{.max_tokens = 5, .end_tokens = {data::kEndToken}};
  auto exact = generated(task, {5, 3, 9, 2}, {1, 4}, options);
  auto padded = generated(task, {5, 3, 9, 2, 7, 7}, {1, 6}, options);
  EXPECT_EQ(exact[0].to_doubles(), padded[0].to_doubles());
}

TEST(Seq2Seq, OneBeamIsGreedyAndMoreAreNoWorse) {
  Seq2SeqTask task = small_seq2seq();
  train::GenerateOptions options{.max_tokens = 5, .end_tokens = {data::kEndToken}};
  const std::vector<std::int32_t> prompts = {5, 3, 9, 2, 8, 8, 4, 6};
  auto greedy = generated(task, prompts, {2, 4}, options);
  options.num_beams = 1;
  auto one = generated(task, prompts, {2, 4}, options);
  EXPECT_EQ(greedy[0].to_doubles(), one[0].to_doubles());
  options.num_beams = 3;
  auto three = generated(task, prompts, {2, 4}, options);
  EXPECT_EQ(three[0].dims(), (Dims{2, 3, 6}));
  for (std::size_t row : {0u, 1u})
    EXPECT_GE(three[2].to_doubles()[3 * row] + 1e-6, one[2].to_doubles()[row]);
}

// Returns exact_match for a batch whose targets are the model's own output, with one changed.
double exact_match_of_own(std::optional<std::int64_t> num_beams, int num_changed) {
  Seq2SeqTask task = small_seq2seq(num_beams);
  const std::vector<std::int32_t> sources = {5, 3, 9, 2, 8, 8, 4, 6};
  auto made =
      generated(task, sources, {2, 4},
                {.max_tokens = 5, .end_tokens = {data::kEndToken}, .num_beams = num_beams})[0];
  const auto num_alternatives = static_cast<std::size_t>(made.dims()[1]);
  std::vector<std::int32_t> targets;
  for (std::size_t row : {0u, 1u}) {
    auto best = made.values<std::int32_t>().subspan(row * num_alternatives * 6 + 1, 5);
    targets.insert(targets.end(), best.begin(), best.end());
  }
  if (num_changed > 0) targets[1] = (targets[1] + 1) % 12;
  auto out = run(task, [&](const ValueTree& params) {
    ValueTree batch;
    batch[data::kEncoderInputs] = numbers(sources, {2, 4});
    batch[data::kTargets] = numbers(targets, {2, 5});
    batch[data::kWeights] = graph::constant(1.0, f32, {2, 5});
    auto methods = task.eval_methods();
    auto found = methods.at("exact_match").run({params, batch, graph::random::key(0)});
    return std::vector{found.metrics.at("exact_match").mean};
  });
  return out[0].to_doubles()[0];
}

TEST(Seq2Seq, ExactMatchCountsRowsThatAreWhollyRight) {
  EXPECT_EQ(exact_match_of_own({}, 0), 1.0);
  EXPECT_EQ(exact_match_of_own({}, 1), 0.5);
  EXPECT_EQ(exact_match_of_own(3, 0), 1.0);
}

LmTask small_lm(LmStyle style) {
  LmConfig config;
  config.model.style = style;
  config.model.vocab = 12;
  config.model.layers = 1;
  config.model.embed = config.model.mlp = 16;
  config.model.kv = 2;
  config.model.q = 1;
  config.model.dim = 4;
  config.model.max_len = 64;
  return {config, 4};
}

// Two prompts of 4 tokens with their continuations of 3, and the scores.
struct ContinuedTwo {
  std::vector<std::vector<std::int32_t>> ids;
  std::vector<double> lengths, scores;
};

// Pads the prompts to this length.
ContinuedTwo continued_two(const train::Task& task,
                           std::int64_t len,
                           const train::GenerateOptions& options) {
  std::vector<std::int32_t> prompts(static_cast<std::size_t>(2 * len), 7);
  std::ranges::copy(std::vector{5, 3, 9, 2}, prompts.begin());
  std::ranges::copy(std::vector{8, 0, 1, 11}, prompts.begin() + len);
  const std::vector<HostTensor> found = generated(task, prompts, {2, len}, options);
  ContinuedTwo out{.lengths = found[1].to_doubles(), .scores = found[2].to_doubles()};
  const auto max_len = static_cast<std::size_t>(found[0].dims()[2]);
  for (std::size_t row = 0; row < found[0].values<std::int32_t>().size() / max_len; ++row) {
    auto tokens = found[0].values<std::int32_t>().subspan(row * max_len, 7);
    out.ids.emplace_back(tokens.begin(), tokens.end());
  }
  return out;
}

// Padding after prompts, as beside longer ones and up to the compiled length, changes no token, and
// scores only in the last bit.
void expect_alike(LmStyle style,
                  const train::GenerateOptions& options,
                  const std::vector<std::int64_t>& padded_lengths) {
  const LmTask task = small_lm(style);
  const ContinuedTwo exact = continued_two(task, 4, options);
  for (std::int64_t len : padded_lengths) {
    const ContinuedTwo padded = continued_two(task, len, options);
    EXPECT_EQ(padded.ids, exact.ids) << len;
    EXPECT_EQ(padded.lengths, exact.lengths) << len;
    for (std::size_t i = 0; i < exact.scores.size(); ++i)
      EXPECT_NEAR(padded.scores[i], exact.scores[i], 1e-6) << len;
  }
}

TEST(Lm, ContinuesPromptsOfAnyPaddedLengthAlike) {
  expect_alike(LmStyle::llama, {.max_tokens = 3}, {6, 16});
  expect_alike(LmStyle::gpt2, {.max_tokens = 3, .temperature = 2, .top_k = 6}, {61});
  expect_alike(LmStyle::llama, {.max_tokens = 3, .end_tokens = {4}, .num_beams = 3}, {16});
}

TEST(Lm, RefusesMoreTokensThanItHasPositions) {
  LmConfig config;
  config.model.style = LmStyle::gpt2;
  config.model.vocab = 12;
  config.model.layers = 1;
  config.model.max_len = 8;
  LmTask task(config, 4);
  EXPECT_THROW(generated(task, {5, 3, 9, 2}, {1, 4}, {.max_tokens = 5}), Error);
}

}  // namespace
}  // namespace meshwright::tasks
