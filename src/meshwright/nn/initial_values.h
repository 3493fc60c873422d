// SPDX-License-Identifier: Apache-2.0
// The parameters of a model before the first step.
#pragma once

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/module.h"

namespace meshwright::nn {

using autodiff::ValueTree;

struct InitOptions {
  /// By the whole paths of parameters, instead of what they declare.
  InitRules rules = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
  /// Layers that are stacked each get a key of their own, so that layer i is drawn the same in a
  /// stack of any height; or else the stack is drawn as one array, as seqax does.
  bool layers_have_keys = true;
  /// Sizes for axes that no module knows.
  AxisSizes dims = {};
};

/// Draws all parameters. Traced. What a parameter does not declare is by its name: by the rules of
/// the nearest module around it that has one for it, else by default_inits; throws invalid_argument
/// for a name that none of them knows. The key of a module or parameter is that of the module
/// around it with the name folded in, so that no parameter depends on which others there are.
ValueTree initial_values(const Module& module,
                         const graph::random::Key& key,
                         const InitOptions& options = {});

/// For weights glorot_uniform, for biases 0, for scales 1: by names that end so.
const InitRules& default_inits();

/// The patterns of rules by which no parameter is drawn.
std::vector<Regex> unused_rules(const InitRules& rules, const ParamSpecs& params);

}  // namespace meshwright::nn
