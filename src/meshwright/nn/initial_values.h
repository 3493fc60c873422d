// SPDX-License-Identifier: Apache-2.0
// Initial parameters of a model.
#pragma once

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/module.h"

namespace meshwright::nn {

using autodiff::ValueTree;

struct InitOptions {
  /// Rules that match full paths of parameters. They override declared initialisers.
  InitRules rules = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
  /// Draws each stacked layer from its own key, so that layer i does not depend on the number of
  /// layers. If false, draws the stack as one array, as seqax does.
  bool layers_have_keys = true;
  /// Sizes of axes that no module defines.
  AxisSizes dims = {};
};

/// Returns the initial values of all parameters as traced values. For a parameter without a
/// declared initialiser, the rules of the nearest enclosing module that match its name apply,
/// otherwise default_inits(). Throws invalid_argument if no rule matches. The key of a module or
/// parameter is its parent's key with the name folded in, so no parameter depends on the presence
/// of others.
ValueTree initial_values(const Module& module,
                         const graph::random::Key& key,
                         const InitOptions& options = {});

/// Returns the default rules, which match suffixes of the name: glorot_uniform for weights, 0 for
/// biases, 1 for scales.
const InitRules& default_inits();

/// Returns the patterns of rules that match no parameter.
std::vector<Regex> unused_rules(const InitRules& rules, const ParamSpecs& params);

}  // namespace meshwright::nn
