// SPDX-License-Identifier: Apache-2.0
// Contractions over labelled dimensions: the basis of einsum and of the gradients of dot_general.
// Decides how operands are laid out. Also contains the dtype check that dot_general and convolution
// share.
#pragma once

#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"

namespace meshwright::graph {

/// An array with one label per dimension. Equal labels denote the same axis.
struct Labelled {
  Value value;
  std::vector<int> labels;  // each at most once
};

/// Returns the sum of x over the labels that `out` lacks, with dimensions in the order of `out`.
Value contraction(const Labelled& x,
                  std::span<const int> out,
                  SourceLoc loc = SourceLoc::current());

/// Returns lhs * rhs summed over the labels that `out` lacks, with dimensions in the order of
/// `out`. Both operands must have the same dtype. Labels that occur in only one operand are summed
/// first. The rest is one dot_general, or one multiplication if nothing is left to contract and one
/// operand has all labels of `out`. Operands are laid out so that few elements have to be
/// transposed.
Value contraction(Labelled lhs,
                  Labelled rhs,
                  std::span<const int> out,
                  const DotOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

/// Rejects a product of two operands accumulated in `out` unless they are numbers of one dtype and
/// `out` is of the same kind: float, signed or unsigned. Operands narrower than 8 bits need their
/// own dtype.
void check_product_dtypes(const Node& node, DType out);

}  // namespace meshwright::graph
