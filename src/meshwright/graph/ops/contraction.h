// SPDX-License-Identifier: Apache-2.0
// Sums of products over labelled dimensions: what einsum and the gradients of dot_general consist
// of, and where it is decided how operands are laid out. Also what convolutions share with them.
#pragma once

#include <span>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"

namespace meshwright::graph {

/// An array with a number for each dimension; equal numbers name equal axes.
struct Labelled {
  Value value;
  std::vector<int> labels;  // each at most once
};

/// The sum of x over the labels that `out` lacks, with dimensions in the order of `out`.
Value contraction(const Labelled& x,
                  std::span<const int> out,
                  SourceLoc loc = SourceLoc::current());

/// lhs * rhs summed over the labels that `out` lacks, with dimensions in the order of `out`. Both
/// have one dtype. It becomes one dot_general, or one multiplication where no pair of dimensions is
/// summed, whose operands stand so that the fewest elements are moved.
Value contraction(Labelled lhs,
                  Labelled rhs,
                  std::span<const int> out,
                  const DotOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

/// Rejects a product of two operands with sums in `out`, unless they are numbers of one dtype and
/// of the kind of `out`.
void check_product_dtypes(const Node& node, DType out);

}  // namespace meshwright::graph
