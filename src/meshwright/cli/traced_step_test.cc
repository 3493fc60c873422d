// SPDX-License-Identifier: Apache-2.0
// The text of a training step depends on the target, not on the machine that traces it.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/job.h"
#include "meshwright/config/config.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/trainer/job.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::cli {
namespace {

using graph::CpuFeatures;
using graph::Program;
using testing::Gt;

const CpuFeatures kAvx2,
    kAvx512 = {.has_float_tiles = true}, kPairs = {.has_float_tiles = true, .has_bf16_pairs = true},
    kAmx = {.has_float_tiles = true, .has_bf16_pairs = true, .has_bf16_tiles = true};

// Settings of a small decoder LM.
struct Model {
  std::string remat = "none";
  std::string compute_dtype = "f32";
  std::string platform = "cpu";
  std::string kernels = "auto";
  std::string stack = "auto";
  int num_devices = 1;
};

std::string toml_of(const Model& model) {
  return str(R"(
dir = "runs/unused"
max_step = 2
kernels = ")",
             model.kernels, R"("
[task]
type = "lm"
compute_dtype = ")",
             model.compute_dtype, R"("
[task.model]
style = "llama"
vocab = 64
layers = 3
embed = 32
kv = 2
q = 2
dim = 8
mlp = 64
stack = ")",
             model.stack, R"("
remat = ")",
             model.remat, R"("
[data]
type = "random_tokens"
batch_size = 8
length = 16
vocab_size = 64
[optimizer]
type = "adamw"
learning_rate = 0.001
[mesh]
platform = ")",
             model.platform, R"("
num_devices = )",
             model.num_devices, R"(
axes = { data = 1, fsdp = "auto" }
)");
}

// Returns the step's program on the model's platform, traced on a machine with such a processor.
Program step_of(const Model& model, const CpuFeatures& processor) {
  const std::vector<runtime::DeviceInfo> devices(static_cast<std::size_t>(model.num_devices));
  train::Job job = make_job(config::from_toml<RunConfig>(toml_of(model)), devices);
  job.placement.target.cpu = processor;
  const train::TrainingSetup setup = train::setup_of(job);
  const train::StepProgram step = trace_step(setup, job.source->spec(), job.config.step);
  return place_kernels(step.program, model.platform, job.placement.target.wants_kernels);
}

std::string text_of(const Model& model, const CpuFeatures& processor) {
  return graph::write_stablehlo(step_of(model, processor));
}

TEST(TracedStep, OfAnAcceleratorIsTheSameFromEveryHost) {
  for (const std::string dtype : {"f32", "bf16"}) {
    for (const std::string remat : {"none", "dots", "nothing"}) {
      for (const int num_devices : {1, 8}) {
        const Model model{
            .remat = remat, .compute_dtype = dtype, .platform = "cuda", .num_devices = num_devices};
        const std::string expected = text_of(model, kAvx2);
        for (const CpuFeatures& processor : {kAvx512, kPairs, kAmx})
          EXPECT_TRUE(text_of(model, processor) == expected) << toml_of(model);
      }
    }
  }
}

TEST(TracedStep, WithoutKernelsIsTheSameFromEveryHost) {
  const Model model{.kernels = "xla"};
  EXPECT_TRUE(text_of(model, kAvx2) == text_of(model, kAvx512));
}

TEST(TracedStep, OnACpuFollowsItsProcessor) {
  EXPECT_FALSE(text_of({}, kAvx2) == text_of({}, kAvx512));
}

// Returns the calls of a kernel; of matrix products in formulas, for "dot_general".
std::int64_t num_calls(const Program& program, std::string_view op) {
  if (op == "dot_general")
    return meshwright::count(graph::write_stablehlo(program), "stablehlo.dot_general");
  std::int64_t out = 0;
  for (const graph::KernelChoice& choice : program.kernel_choices)
    if (choice.op == op && choice.is_kernel) out += choice.count;
  return out;
}

TEST(TracedStep, KeptProductsAreNotComputedAgain) {
  const std::int64_t linear = num_calls(step_of({}, kAvx512), "linear");
  EXPECT_EQ(num_calls(step_of({.remat = "dots"}, kAvx512), "linear"), linear);
  EXPECT_THAT(num_calls(step_of({.remat = "nothing"}, kAvx512), "linear"), Gt(linear));
}

// Three layers with 7 weights; the logits and attention.
TEST(TracedStep, HasTheProductsOfTheModelOnAccelerators) {
  for (const int num_devices : {1, 8}) {
    const auto num_dots = [&](const std::string& remat) {
      return num_calls(
          step_of(
              {.remat = remat, .platform = "cuda", .stack = "scanned", .num_devices = num_devices},
              kAvx512),
          "dot_general");
    };
    // A scanned layer is written once: 7 weights and their 14 gradients, attention's 2 products and
    // its 5 in the backward pass. The logits have 3.
    EXPECT_EQ(num_dots("none"), 7 * 3 + 2 + 5 + 3) << num_devices;
    // Keeps the products with weights. The scores are computed by the gradient in any case.
    EXPECT_EQ(num_dots("dots"), num_dots("none") + 2) << num_devices;
  }
}

}  // namespace
}  // namespace meshwright::cli
