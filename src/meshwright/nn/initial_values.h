// SPDX-License-Identifier: Apache-2.0
// Initial parameters of a model.
#pragma once

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/module.h"

namespace meshwright::nn {

using autodiff::ValueTree;

struct InitOptions {
  /// Rules that match full parameter paths. They override declared initialisers.
  InitRules rules = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
  /// Draws each stacked layer from its own key, so that layer i does not depend on the number of
  /// layers. If false, draws the stack as one array, as seqax does.
  bool layers_have_keys = true;
  /// Sizes of axes that no module defines.
  AxisSizes dims = {};
};

/// Returns the initial values of all parameters as traced values. A parameter without a declared
/// initialiser uses the rule that matches its name in the nearest enclosing module that has one,
/// otherwise default_inits(). Throws invalid_argument if no rule matches. The key of a module or
/// parameter is its parent's key with the name folded in, so the value of a parameter does not
/// depend on which other parameters exist.
ValueTree initial_values(const Module& module,
                         const graph::random::Key& key,
                         const InitOptions& options = {});

/// Returns the default rules, which match suffixes of the name: glorot_uniform for weights, 0 for
/// biases, 1 for scales.
const InitRules& default_inits();

/// Returns the patterns of rules that match no parameter.
std::vector<Regex> unused_rules(const InitRules& rules, const ParamSpecs& params);

}  // namespace meshwright::nn
