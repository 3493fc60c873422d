// SPDX-License-Identifier: Apache-2.0
// How the dimensions of an op's results follow from those of its operands.
#pragma once

#include <vector>

#include "meshwright/graph/core/node.h"

namespace meshwright::estimate {

/// A dimension of an operand that becomes one of a result: a split of one is a split of the other.
struct DimLink {
  int operand = 0;
  int operand_dim = 0;
  int result = 0;
  int result_dim = 0;
};

/// A dimension of an operand that is summed away: if it is split, each device has a partial sum.
struct SummedDim {
  int operand = 0;
  int dim = 0;
};

struct DimLinks {
  std::vector<DimLink> links;
  /// For products, the dimensions of both operands, in pairs.
  std::vector<SummedDim> summed;
};

/// Returns the links of an op without regions. Dimensions without a link are computed whole.
DimLinks dim_links(const graph::Node& node);

}  // namespace meshwright::estimate
