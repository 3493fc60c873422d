// SPDX-License-Identifier: Apache-2.0
// A custom model and task, trained on 8 devices: which of three spirals does a point belong to?
//     custom_task [FOLDER [MAX_STEP]]    the same command again continues from the last checkpoint
#include <iostream>
#include <memory>
#include <string>

#include <meshwright/graph/ops/elementwise.h>
#include <meshwright/nn/linear.h>
#include <meshwright/nn/losses.h>
#include <meshwright/nn/mlp.h>
#include <meshwright/optim/optimizers/adamw.h>
#include <meshwright/train/task/model_task.h>
#include <meshwright/train/trainer/run.h>

#include "spirals.h"

using namespace meshwright;
using graph::Value;

// Axes: batch, xy, embed, mlp (inside of a block), arm (the spirals).
struct Classifier : nn::Module {
  Classifier() : Module({{"xy", 2}, {"embed", 32}, {"mlp", 128}, {"arm", 3}}) {}
  nn::Linear in{this, "in", "xy", "embed"};
  nn::Mlp first{this, "first", {.activation = nn::Activation::gelu, .bias = true}};
  nn::Mlp second{this, "second", {.activation = nn::Activation::gelu, .bias = true}};
  nn::Linear out{this, "out", "embed", "arm"};

  Value operator()(nn::Ctx& p, Value points) const {
    Value x = in(p, points);
    x = x + first(p, x);
    x = x + second(p, x);
    return out(p, x);
  }
};

struct SpiralTask : train::ModelTask<Classifier> {
  std::string name() const override { return "spirals"; }

  train::TaskLoss loss(const train::TaskInput& input) const override {
    nn::Ctx p = context(input);
    Value logits = model()(p, input.array("points"));
    Value arms = input.array("arms");
    return {.loss = train::mean(nn::cross_entropy(logits, arms)),
            .metrics = {{"accuracy", train::mean(nn::is_correct(logits, arms))}}};
  }
};

int main(int argc, char** argv) try {
  train::Job job;
  job.task = std::make_shared<SpiralTask>();
  job.source = spirals({.num_points = 3000, .seed = 1});
  job.learner = optim::learn_by(
      optim::adamw({.learning_rate = optim::warmup_cosine({.peak = 1e-2, .end = 400, .warmup = 20}),
                    .weight_decay = {1e-4}}));
  job.placement = {.mesh = mesh::Mesh({{"data", 4}, {"model", 2}}),
                   .params = {{"mlp", {"model"}}},
                   .activations = {{"batch", {"data"}}, {"mlp", {"model"}}}};
  job.config.dir = argc > 1 ? argv[1] : "runs/spirals";
  job.config.max_step = argc > 2 ? std::stoll(argv[2]) : 400;
  job.config.loop.log = train::every(50);
  job.config.checkpoint.when = train::every(100);
  job.config.evaluators["held_out"] = {.method = "loss", .when = train::every(100)};
  job.eval_sources["held_out"] = spirals({.num_points = 1000, .seed = 2, .num_epochs = 1});

  const train::Outcome outcome = train::run(job);
  // A run may end without an evaluation: by Ctrl-C, or because it was already complete.
  if (const auto accuracy = outcome.find_result("held_out/accuracy"))
    std::cout << "accuracy: " << *accuracy << '\n';
  else
    std::cout << "ended at step " << outcome.step << " without an evaluation\n";
  return 128 * (outcome.stop_signal != 0) + outcome.stop_signal;  // as shells do
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
