// SPDX-License-Identifier: Apache-2.0
// Effects of the options of layers. tests/nn compares values with JAX and Flax.
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/dropout.h"
#include "meshwright/nn/embedding.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/nn/mlp.h"
#include "meshwright/nn/stack.h"
#include "meshwright/nn/transformer.h"

namespace meshwright::nn {
namespace {

using graph::random::NameHash;

struct LayerModel : Module {
  explicit LayerModel(const TransformerOptions& options)
      : Module({{"embed", 4}, {"kv", 1}, {"q", 2}, {"dim", 2}, {"mlp", 8}}),
        layer(this, "layer", options) {}
  TransformerLayer layer;
};

// Returns the number of dropout masks drawn by a layer with cross-attention, plus a constant.
int num_masks(TransformerOptions options, bool is_training = true) {
  if (!options.cross_attention) options.cross_attention = AttentionOptions();
  LayerModel model(options);
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {2, 3, 4}});
  Ctx p(model, initial_values(model, graph::random::key(0)),
        {.is_training = is_training, .key = graph::random::key(1)});
  Value y = model.layer(p, x, {.cross = {.memory = x}});
  // In plain ops, the kept elements are divided.
  return count(write_stablehlo(place_kernels(tracer.finish({y}), "")), "stablehlo.divide");
}

TEST(TransformerLayer, EveryDropoutOptionDrawsItsMasks) {
  const int none = num_masks({});
  EXPECT_EQ(num_masks({.attention = {.dropout = 0.5}}), none + 1);
  EXPECT_EQ(num_masks({.cross_attention = AttentionOptions{.dropout = 0.5}}), none + 1);
  EXPECT_EQ(num_masks({.mlp = {.dropout = 0.5}}), none + 1);
  EXPECT_EQ(num_masks({.dropout = 0.5}), none + 3) << "one for what each part adds";
  EXPECT_EQ(num_masks({.dropout = 0.5}, /*is_training=*/false), none);
}

struct Table : Module {
  explicit Table(DType dtype = f32) : Module({{"vocab", 5}, {"embed", 4}}) {
    set_param_dtype(dtype);
  }
  Embedding table{this, "table", "vocab", "embed", normal()};
  Param scale = param("scale", "embed");
};

TEST(Embedding, LogitsAreWideInNarrowComputation) {
  Table model;
  graph::Tracer tracer;
  Ctx p(model, initial_values(model, graph::random::key(0)), {.compute_dtype = bf16});
  EXPECT_EQ(kernels::logits(model.table.projection(p, tracer.argument({bf16, {2, 3, 4}}))).dtype(),
            f32);
}

TEST(Context, WideLeavesF64AsItIs) {
  Table model(f64);
  graph::Tracer tracer;
  Ctx p(model, initial_values(model, graph::random::key(0)), {.compute_dtype = bf16});
  EXPECT_EQ(p.wide(model.scale).dtype(), f64);
}

// Returns the program that computes the key of a submodule.
std::string key_of_part(NameHash hash) {
  Table model;
  graph::Tracer tracer;
  Ctx p(model, initial_values(model, graph::random::key(0)),
        {.key = graph::random::key(1), .hash = hash});
  return write_stablehlo(tracer.finish({graph::random::key_data(p.key(model.table))}));
}

TEST(Context, KeysAreByTheHashOfItsOptions) {
  EXPECT_NE(key_of_part(NameHash::md5_leading_word), key_of_part(NameHash::md5_mod_int31));
}

struct Double : Module {
  using Module::Module;
  Param w = param("w", "embed", normal());
  Value operator()(Ctx& p, Value x) const { return graph::exp(x * p[w]); }
};
struct Doubles : Module {
  explicit Doubles(const StackOptions& options)
      : Module({{"embed", 4}, {"layers", 3}}), layers(this, "layers", options) {}
  Stack<Double> layers;
};

// Returns the program of a loss and its gradient.
std::string gradient_through(const StackOptions& options) {
  Doubles model(options);
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {4}});
  auto loss = [&](const ValueTree& params) {
    Ctx p(model, params);
    return autodiff::Loss{graph::reduce_sum(model.layers(p, x), {0}), {}};
  };
  ValueTree params;
  params["layers/w"] = tracer.argument({f32, {3, 4}});
  autodiff::LossAndGrad both = autodiff::value_and_grad(loss, params);
  return write_stablehlo(tracer.finish({both.value, both.gradients.at("layers/w").value()}));
}

TEST(Stack, ScannedIsALoopAndUnrolledIsNone) {
  EXPECT_GT(count(gradient_through({}), "stablehlo.while"), 0);
  EXPECT_EQ(count(gradient_through({.form = StackForm::unrolled}), "stablehlo.while"), 0);
}

TEST(Stack, RematComputesLayersAnew) {
  const StackOptions kept{.form = StackForm::unrolled};
  const StackOptions anew{.form = StackForm::unrolled, .remat = graph::keep_nothing()};
  const std::string exponential = "stablehlo.exponential";
  EXPECT_GT(count(gradient_through(anew), exponential), count(gradient_through(kept), exponential));
}

}  // namespace
}  // namespace meshwright::nn
