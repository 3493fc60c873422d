// SPDX-License-Identifier: Apache-2.0
// Each task in bf16, by train_dtype and by an evaluator's dtype: the program computes in bf16, and
// the results are close to those in f32.
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/regex.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/generated/sequences_config.h"
#include "meshwright/data/generated/shapes_config.h"
#include "meshwright/data/generated/synthetic_config.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"
#include "meshwright/train/eval/evaluator.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::tasks {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMlp = 48;  // no other dimension has this size

struct Learned {
  std::shared_ptr<const train::Task> task;
  data::SourcePtr data;
};

Learned lm(LmStyle style) {
  LmConfig config;
  config.model.style = style;
  config.model.vocab = 24;
  config.model.layers = 2;
  config.model.embed = 16;
  config.model.kv = 2;
  config.model.q = 1;
  config.model.dim = 8;
  config.model.mlp = kMlp;
  config.model.max_len = 12;
  data::RandomTokensConfig tokens;
  tokens.batch_size = 16;
  tokens.length = 12;
  tokens.vocab_size = 24;
  return {std::make_shared<LmTask>(config, tokens.length), tokens.make(3)};
}

Learned encoder_decoder() {
  data::SequencesConfig words;
  words.batch_size = 16;
  words.words.max_length = 6;
  words.words.num_letters = 20;
  Seq2SeqConfig config;
  config.model.vocab = words.num_tokens();
  config.model.embed = 16;
  config.model.heads = 2;
  config.model.dim = 8;
  config.model.mlp = kMlp;
  config.model.encoder_layers = config.model.decoder_layers = 2;
  data::SourcePtr source = words.make(3);
  const Dims targets = source->spec().at(data::kTargets).value().type.dims;
  return {std::make_shared<Seq2SeqTask>(config, targets.at(1), words.codec()), source};
}

Learned images(ClassifierLoss loss) {
  data::ShapesConfig shapes;
  shapes.batch_size = 16;
  shapes.size = 8;
  ImageClassificationConfig config;
  config.model.classes = 4;
  config.model.patch = 4;
  config.model.layers = 2;
  config.model.embed = 16;
  config.model.heads = 2;
  config.model.mlp = kMlp;
  config.loss = loss;
  const data::ImageShape size{.height = 8, .width = 8, .channels = 1};
  return {std::make_shared<ImageClassificationTask>(config, size), shapes.make(3)};
}

struct Case {
  std::string name;
  std::function<Learned()> make;
  bool use_kernels;
};

class TrainDType : public testing::TestWithParam<Case> {
 protected:
  Learned learned_ = GetParam().make();
  train::Placement placement_{.target = {.wants_kernels = GetParam().use_kernels}};
  train::TrainingSetup setup_{*learned_.task,
                              optim::learn_by(optim::sgd({.learning_rate = optim::constant(0.1)})),
                              placement_};

  std::string step_text(const train::StepOptions& options) const {
    return graph::write_stablehlo(
        train::trace_step(setup_, learned_.data->spec(), options).program);
  }

  train::Evaluator evaluator(std::optional<std::string> dtype) const {
    train::EvaluatorConfig config{.method = "loss", .num_batches = 2};
    config.dtype = std::move(dtype);
    return {"held_out", config, setup_, learned_.data};
  }

  // Returns the losses of some updates.
  std::vector<double> losses(const train::StepOptions& options) const {
    train::StepRunner runner(runtime::test_client(), setup_, learned_.data->spec(), options);
    runner.init(7);
    std::vector<double> out;
    for (int step = 0; step < 4; ++step) {
      const HostTensor metrics =
          runner.update(data::whole_batch(*learned_.data, step)).metrics.to_host();
      out.push_back(metrics.to_doubles()[train::kLossMetric]);
      weights_.push_back(metrics.to_doubles()[train::kWeightMetric]);
    }
    for_each(runner.state().at("model"), [&](const std::string& path, const auto& param) {
      EXPECT_EQ(param.type().dtype, f32) << path << " keeps its dtype";
    });
    return out;
  }

  mutable std::vector<double> weights_;
};

// Returns the operand dtypes of the MLPs' matrix products, that is, of those with a dimension kMlp.
std::set<std::string> dtypes_of_products(const std::string& text) {
  const Regex product(".*(stablehlo\\.dot_general|\"mw_linear(_gradient)?\").*");
  const Regex matrix("([0-9]+x)+" + str(kMlp) + "x[0-9x]*(f32|bf16)|([0-9]+x)*" + str(kMlp) +
                     "x([0-9]+x)+(f32|bf16)");
  std::set<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!product.matches(line)) continue;
    const std::size_t begin = line.rfind(" : ("), end = line.rfind(") ->");
    std::string operands = line.substr(begin, end - begin);
    for (std::size_t at = 0; (at = operands.find("tensor<", at)) != operands.npos; ++at) {
      const std::string type = operands.substr(at + 7, operands.find('>', at) - at - 7);
      if (matrix.matches(type)) out.insert(type.substr(type.rfind('x') + 1));
    }
  }
  return out;
}

void expect_close(const std::vector<double>& narrow, const std::vector<double>& full) {
  ASSERT_EQ(narrow.size(), full.size());
  for (std::size_t i = 0; i < full.size(); ++i)
    EXPECT_NEAR(narrow[i], full[i], 0.01 * std::abs(full[i])) << i;
}

TEST_P(TrainDType, ComputesInItAndGivesNearlyTheLossesOfF32) {
  const train::StepOptions full, narrow{.train_dtype = bf16};
  EXPECT_THAT(dtypes_of_products(step_text(full)), ElementsAre("f32"));
  EXPECT_THAT(dtypes_of_products(step_text(narrow)), ElementsAre("bf16"));
  const std::vector<double> losses_in_f32 = losses(full);
  const std::vector<double> weights_in_f32 = std::exchange(weights_, {});
  const std::vector<double> losses_in_bf16 = losses(narrow);
  EXPECT_NE(losses_in_bf16, losses_in_f32);
  expect_close(losses_in_bf16, losses_in_f32);
  EXPECT_EQ(weights_, weights_in_f32) << "weights must be exact";
}

TEST_P(TrainDType, AnEvaluatorComputesInItsOwn) {
  train::Evaluator full = evaluator({}), narrow = evaluator("bf16");
  EXPECT_THAT(dtypes_of_products(graph::write_stablehlo(full.trace().program)), ElementsAre("f32"));
  EXPECT_THAT(dtypes_of_products(graph::write_stablehlo(narrow.trace().program)),
              ElementsAre("bf16"));
  train::StepRunner runner(runtime::test_client(), setup_, learned_.data->spec(), {});
  runner.init(7);
  auto loss_of = [&](train::Evaluator& judge) {
    auto found = judge.run(runtime::test_client(), runner.part("model"), train::eval_key(0));
    std::vector<double> out;
    for (const metrics::Entry& entry : found->entries) {
      const auto& scalar = std::get<metrics::WeightedScalar>(entry.value);
      if (entry.name == "loss") out = {scalar.mean, scalar.weight};
    }
    return out;
  };
  const std::vector<double> in_f32 = loss_of(full), in_bf16 = loss_of(narrow);
  expect_close({in_bf16.at(0)}, {in_f32.at(0)});
  EXPECT_EQ(in_bf16.at(1), in_f32.at(1));
}

INSTANTIATE_TEST_SUITE_P(
    Tasks,
    TrainDType,
    testing::Values(Case{"llama_auto", [] { return lm(LmStyle::llama); }, true},
                    Case{"llama_xla", [] { return lm(LmStyle::llama); }, false},
                    Case{"gpt2_auto", [] { return lm(LmStyle::gpt2); }, true},
                    Case{"encoder_decoder_auto", encoder_decoder, true},
                    Case{"encoder_decoder_xla", encoder_decoder, false},
                    Case{"vit_auto", [] { return images(ClassifierLoss::softmax); }, true},
                    Case{"vit_xla", [] { return images(ClassifierLoss::sigmoid); }, false}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace meshwright::tasks
