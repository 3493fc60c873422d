// SPDX-License-Identifier: Apache-2.0
// The parameters of a model before the first step.
#pragma once

#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/base/regex.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/nn/module.h"

namespace meshwright::nn {

using autodiff::ValueTree;

/// Replaces the declared initialiser of parameters whose whole path matches.
struct InitRule {
  Regex pattern;
  Init init;
};

struct InitOptions {
  /// The first rule that matches counts.
  std::vector<InitRule> rules = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
  /// Layers that are stacked each get a key of their own, so that layer i is drawn the same in a
  /// stack of any height; or else the stack is drawn as one array, as seqax does.
  bool layers_have_keys = true;
  /// Sizes for axes that no module knows.
  AxisSizes dims = {};
};

/// Draws all parameters. Traced. The key of a module or parameter is that of the module around it
/// with the name folded in, so that no parameter depends on which others there are.
ValueTree initial_values(const Module& module,
                         const graph::random::Key& key,
                         const InitOptions& options = {});

}  // namespace meshwright::nn
