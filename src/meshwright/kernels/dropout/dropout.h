// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::kernels {

/// Elements stay where random::bernoulli(key, p) is true.
struct Drawing {
  graph::random::Key key;
  double p = 1;
};

/// x / p where elements stay, and else 0; divided in f32, unless x is f64. Along `shared`
/// dimensions elements share their fate. The kernel, which knows none, draws again for the
/// gradient, instead of keeping what was drawn. Throws invalid_argument unless p is more than 0 and
/// at most 1.
graph::Value dropout(graph::Value x,
                     const Drawing& drawing,
                     const Dims& shared = {},
                     SourceLoc loc = SourceLoc::current());

struct DropoutAttrs {
  double p;
  bool has_shared_dims = false;  // of calls that may become kernels
};
/// Why kernels cannot draw by a key of these words; empty for one threefry key.
std::string obstacle_of_key(std::span<const graph::Value> words);
/// Operands: x in f32 or bf16, the words of a threefry key. attrs: DropoutAttrs. On one device.
extern const graph::OpDef kDropout;

}  // namespace meshwright::kernels
