// SPDX-License-Identifier: Apache-2.0
// Description of a parameter without its values, for optimizers, sharding and checkpoints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/tensor/shape.h"

namespace meshwright {

/// Role of a dimension in optimizers that factor an array into a row and a column.
enum class FactorRole { none, row, col };

struct ParamSpec {
  ArrayType type;
  std::vector<std::string> axes;  // the name of each dimension
  /// A sharding such as "('data', None)", which overrides the axis rules. If absent, the rules
  /// apply.
  std::optional<std::string> mesh_axes;
  double weight_decay_scale = 1.0;
  /// One role per dimension. If empty, the optimizer chooses.
  std::vector<FactorRole> factorization;
  /// Number of leading dimensions that index layers stacked for a scan. Initialisers and optimizers
  /// treat each layer as a separate array.
  int num_stacked_dims = 0;

  bool operator==(const ParamSpec&) const = default;
};

using ParamSpecs = Tree<ParamSpec>;

}  // namespace meshwright
