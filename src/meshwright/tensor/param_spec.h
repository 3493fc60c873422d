// SPDX-License-Identifier: Apache-2.0
// What is known of a parameter without its values: what optimizers, sharding and checkpoints need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/tensor/shape.h"

namespace meshwright {

/// The part a dimension plays where an optimizer keeps a row and a column instead of an array.
enum class FactorRole { none, row, col };

struct ParamSpec {
  ArrayType type;
  std::vector<std::string> axes;  // the name of each dimension
  /// Overrides the rules for the axes, "('data', None)"; absent: the rules decide.
  std::optional<std::string> mesh_axes;
  double weight_decay_scale = 1.0;
  /// One per dimension; empty: the optimizer's own choice.
  std::vector<FactorRole> factorization;
  /// So many leading dimensions count layers that are stacked for a scan: to initialisers and
  /// optimizers each layer is an array of its own.
  int num_stacked_dims = 0;

  bool operator==(const ParamSpec&) const = default;
};

using ParamSpecs = Tree<ParamSpec>;

}  // namespace meshwright
