// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "meshwright/nn/init.h"
#include "meshwright/nn/stack.h"

namespace meshwright::nn {

/// One parameter for each initialiser, and a stack; same as in jax_layers.py.
struct Inits : Module {
  explicit Inits(DType dtype) : Module({{"a", 4}, {"b", 6}, {"c", 5}, {"layers", 3}}) {
    set_param_dtype(dtype);
    add("normal", normal(0.5));
    add("truncated_normal", truncated_normal(0.5));
    add("uniform", uniform(2.0));
    add("zeros", zeros());
    add("ones", ones());
    add("lecun_normal", lecun_normal());
    add("lecun_uniform", lecun_uniform());
    add("glorot_normal", glorot_normal());
    add("glorot_uniform", glorot_uniform());
    add("he_normal", he_normal());
    add("he_uniform", he_uniform());
    add("fan_out", variance_scaling({2.0, Fan::out, Distribution::normal, {}}));
    add("fan_in_named", fan_in("a b"));
    add("fan_avg_named",
        variance_scaling(
            {1.0, Fan::average, Distribution::normal, {.in = "b", .out = "c", .batch = "a"}}));
  }
  void add(const std::string& name, Init init) { param(name, "a b c", std::move(init)); }

  struct Layer : Module {
    using Module::Module;
    Param w = param("w", "a b", fan_in("a"));
  };
  Stack<Layer> stack{this, "stack", {.axis = "layers"}};
};

}  // namespace meshwright::nn
