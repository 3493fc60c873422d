// SPDX-License-Identifier: Apache-2.0
// The initialiser of each parameter. tests/nn compares the values with JAX.
#include "meshwright/nn/initial_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/linear.h"
#include "meshwright/nn/stack.h"

namespace meshwright::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns the program that draws the parameters. Equal programs give equal values.
std::string drawing(const Module& module, const InitRules& rules = {}) {
  graph::Tracer tracer;
  ValueTree values = initial_values(module, graph::random::key(7), {.rules = rules});
  return write_stablehlo(tracer.finish(leaves(values)));
}

// One parameter in a nested module.
struct Inner : Module {
  Inner(Module* parent, const std::string& param_name, const Init& init, const InitRules& rules)
      : Module(parent, "inner"), w(param(param_name, "embed mlp", init)) {
    set_default_inits(rules);
  }
  Param w;
};
struct Outer : Module {
  explicit Outer(const std::string& name,
                 const Init& init = {},
                 const InitRules& own = {},
                 const InitRules& inner_rules = {})
      : Module({{"embed", 4}, {"mlp", 6}}), inner(this, name, init, inner_rules) {
    set_default_inits(own);
  }
  Inner inner;
};

TEST(DefaultInits, AreByTheEndOfTheName) {
  EXPECT_EQ(drawing(Outer("weight")), drawing(Outer("weight", glorot_uniform())));
  EXPECT_EQ(drawing(Outer("in_weight")), drawing(Outer("in_weight", glorot_uniform())));
  EXPECT_EQ(drawing(Outer("bias")), drawing(Outer("bias", zeros())));
  EXPECT_EQ(drawing(Outer("scale")), drawing(Outer("scale", ones())));
}

TEST(DefaultInits, AParameterThatNoneIsForIsAnError) {
  EXPECT_THAT(message_of([] { drawing(Outer("weights")); }),
              HasSubstr("parameter 'inner/weights' has no initialiser"));
}

TEST(DefaultInits, ThoseOfTheNearestModuleCount) {
  const InitRules by_two = {{Regex("w.*"), constant_init(2)}, {Regex("weight"), constant_init(3)}};
  const InitRules by_four = {{Regex("weight"), constant_init(4)}};
  EXPECT_EQ(drawing(Outer("weight", {}, by_two)), drawing(Outer("weight", constant_init(2))));
  EXPECT_EQ(drawing(Outer("weight", {}, by_two, by_four)),
            drawing(Outer("weight", constant_init(4))));
  EXPECT_EQ(drawing(Outer("wide", {}, by_two, by_four)), drawing(Outer("wide", constant_init(2))))
      << "what the nearest one has no rule for is up to those around it";
}

TEST(DefaultInits, WhatAParameterDeclaresComesFirst) {
  const InitRules rules = {{Regex(".*"), ones()}};
  EXPECT_EQ(drawing(Outer("weight", zeros(), rules, rules)), drawing(Outer("weight", zeros())));
}

TEST(InitRules, ReplaceWhatIsDeclaredWhereTheWholePathMatches) {
  Outer declared("weight", zeros());
  EXPECT_EQ(drawing(declared, {{Regex("weight"), ones()}}), drawing(declared));
  EXPECT_EQ(drawing(declared, {{Regex(".*/weight"), ones()}, {Regex(".*"), normal()}}),
            drawing(Outer("weight", ones())));
}

TEST(InitRules, ThatDecideAboutNothingAreFound) {
  ParamSpecs params = param_specs(Outer("weight", zeros()));
  const InitRules rules = {
      {Regex("weight"), ones()}, {Regex(".*"), ones()}, {Regex(".*"), zeros()}};
  std::vector<std::string> unused;
  for (const Regex& pattern : unused_rules(rules, params))
    unused.push_back(pattern.pattern());
  EXPECT_THAT(unused, ElementsAre("weight", ".*"));
}

TEST(InitOptions, AStackIsDrawnLayerByLayerOrAsOneArray) {
  struct Layer : Module {
    using Module::Module;
    Param w = param("w", "embed", normal());
  };
  struct Layers : Module {
    Layers() : Module({{"embed", 4}, {"layers", 3}}) {}
    Stack<Layer> layers{this, "layers"};
  };
  auto drawn = [](bool layers_have_keys) {
    Layers model;
    graph::Tracer tracer;
    ValueTree values =
        initial_values(model, graph::random::key(7), {.layers_have_keys = layers_have_keys});
    return write_stablehlo(tracer.finish(leaves(values)));
  };
  EXPECT_NE(drawn(true), drawn(false));
}

TEST(VarianceScaling, TheGeometricAverageOfTheFansIsARoot) {
  auto drawn = [](const VarianceScaling& options) {
    graph::Tracer tracer;
    Value x =
        variance_scaling(options)(graph::random::key(1), {.dims = {2, 8}, .axes = {"a", "b"}});
    return write_stablehlo(tracer.finish({x}));
  };
  EXPECT_EQ(drawn({.fan = Fan::geometric_average}), drawn({.scale = 0.5, .fan = Fan::in}))
      << "1 over the root of 2 times 8 is 0.5 over 2";
}

TEST(FanAxes, OfTheParameterCountForInitsThatNameNone) {
  struct Heads : Module {
    explicit Heads(const Init& init)
        : Module({{"embed", 8}, {"kv", 2}, {"dim", 3}}),
          project(this, "project", "embed", "kv dim", {.bias = false, .init = init}) {}
    Linear project;
  };
  const Init by_position = variance_scaling({.axes = {.in = "kv", .out = "dim"}});
  EXPECT_EQ(drawing(Heads(lecun_normal())), drawing(Heads(fan_in("embed"))));
  EXPECT_NE(drawing(Heads(lecun_normal())), drawing(Heads(by_position)));
}

}  // namespace
}  // namespace meshwright::nn
