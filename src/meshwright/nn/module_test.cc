// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/nn/context.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/nn/stack.h"

namespace meshwright::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Block : Module {
  using Module::Module;
  Param w = param("w", "embed mlp", fan_in("embed"), {.weight_decay_scale = 0.5});
  Param norm = param("norm", "embed", ones());
};

struct Model : Module {
  explicit Model(AxisSizes dims) : Module(std::move(dims)) {}
  Param table = param("table", "vocab embed", normal(1.0));
  Stack<Block> blocks{this, "layers"};
};

const AxisSizes kSizes = {{"vocab", 10}, {"embed", 4}, {"mlp", 8}, {"layers", 3}};

TEST(Module, KnowsItsParametersByPath) {
  Model model(kSizes);
  std::vector<std::string> paths;
  for_each_param(model, [&](const std::string& path, const ParamInfo&) { paths.push_back(path); });
  EXPECT_THAT(paths, ElementsAre("table", "layers/w", "layers/norm"));
}

TEST(Module, SpecsHaveSizesAxesAndStackedDims) {
  Model model(kSizes);
  ParamSpecs specs = param_specs(model);
  const ParamSpec& w = specs.at("layers/w").value();
  EXPECT_EQ(w.type, (ArrayType{f32, {3, 4, 8}}));
  EXPECT_THAT(w.axes, ElementsAre("layers", "embed", "mlp"));
  EXPECT_EQ(w.num_stacked_dims, 1);
  EXPECT_EQ(w.weight_decay_scale, 0.5);
  EXPECT_EQ(num_params(specs), 40 + 3 * (32 + 4));
}

TEST(Module, TakesSizesThatItDoesNotKnowFromTheCaller) {
  Model model({{"vocab", 10}, {"embed", 4}, {"layers", 3}});
  EXPECT_EQ(param_specs(model, {{"mlp", 16}}).at("layers/w").value().type.dims, (Dims{3, 4, 16}));
  EXPECT_THAT(message_of([&] { param_specs(model, {}); }),
              HasSubstr("module 'layers': axis 'mlp' has no size"));
}

TEST(Module, TwoPartsOfOneNameAreAnError) {
  struct Twice : Module {
    Twice() : Module(AxisSizes{}) {}
    Param a = param("a", "embed", ones());
    Param b = param("a", "embed", ones());
  };
  EXPECT_THAT(message_of([] { Twice(); }), HasSubstr("uses the name 'a' twice"));
}

TEST(Module, NamelessPartsThatShareANameAreAnError) {
  struct Twice : Module {
    Twice() : Module({{"embed", 4}, {"mlp", 8}}) {}
    Block a{this, ""}, b{this, ""};
  };
  Twice model;
  EXPECT_THAT(message_of([&] { param_specs(model); }), HasSubstr("two parameters are named 'w'"));
}

TEST(Context, RefusesValuesOfAnotherModel) {
  Model model(kSizes);
  graph::Tracer tracer;
  ValueTree params = initial_values(model, graph::random::key(0));
  params["extra"] = params.at("table");
  EXPECT_THAT(message_of([&] { Context(model, params); }), HasSubstr("'extra'"));
  ValueTree small = initial_values(model, graph::random::key(0));
  small["table"] = tracer.argument({f32, {9, 4}});
  EXPECT_THAT(message_of([&] { Context(model, small); }), HasSubstr("f32[10,4] and f32[9,4]"));
}

TEST(Context, GivesParametersInTheDtypeOfComputation) {
  Model model(kSizes);
  graph::Tracer tracer;
  Context p(model, initial_values(model, graph::random::key(0)), {.compute_dtype = bf16});
  EXPECT_EQ(p[model.table].dtype(), bf16);
  EXPECT_EQ(p.wide(model.table).dtype(), f32);
}

TEST(Context, WithoutAKeyDrawingIsAnError) {
  Model model(kSizes);
  graph::Tracer tracer;
  Context p(model, initial_values(model, graph::random::key(0)));
  EXPECT_THAT(message_of([&] { p.key(model.blocks); }), HasSubstr("'layers' draws random numbers"));
}

TEST(Context, CollectsWhatLayersLeave) {
  struct Leaving : Module {
    using Module::Module;
    Param count = param("count", "embed", zeros(), {.is_state = true});
    Value operator()(Ctx& p, Value x) const {
      p.add_summary(*this, "sum", reduce_sum(x, {0}));
      p.update_state(count, p.stored(count) + x);
      return x * 2;
    }
  };
  struct Around : Module {
    Around() : Module({{"embed", 4}, {"layers", 2}}) {}
    Stack<Leaving> layers{this, "layers", {.remat = graph::keep_nothing()}};
  };
  Around model;
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {4}});
  Context p(model, initial_values(model, graph::random::key(0)));
  model.layers(p, x);
  Outputs out = p.outputs();
  EXPECT_THAT(out.summaries,
              ElementsAre(testing::Key("layers/layer0/sum"), testing::Key("layers/layer1/sum")));
  EXPECT_EQ(out.summaries.at("layers/layer1/sum").value.dims(), Dims{});
  EXPECT_EQ(out.state_updates.at("layers/count").value().dims(), (Dims{2, 4}));
}

TEST(Init, UnknownAxesAreAnError) {
  struct Wrong : Module {
    Wrong() : Module({{"embed", 4}}) {}
    Param w = param("w", "embed", fan_in("mlp"));
  };
  Wrong model;
  graph::Tracer tracer;
  EXPECT_THAT(
      message_of([&] { initial_values(model, graph::random::key(0)); }),
      HasSubstr("parameter 'w': initialiser: the parameter has no axis 'mlp', only 'embed'"));
}

}  // namespace
}  // namespace meshwright::nn
