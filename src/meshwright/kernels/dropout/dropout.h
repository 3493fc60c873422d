// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::kernels {

/// Keeps the elements for which random::bernoulli(key, keep_probability) is true.
struct Drawing {
  graph::random::Key key;
  double keep_probability = 1;
};

/// Returns x / keep_probability for kept elements and 0 for the others. Divides in f32 (f64 for
/// f64). Elements along `shared` dimensions share one draw; the kernel does not support shared
/// dimensions. The gradient repeats the draw instead of saving a mask. Throws invalid_argument
/// unless keep_probability is in (0, 1].
graph::Value dropout(graph::Value x,
                     const Drawing& drawing,
                     const Dims& shared = {},
                     SourceLoc loc = SourceLoc::current());

struct DropoutAttrs {
  double keep_probability;
  bool has_shared_dims = false;  // set for candidates only; see OpDef::obstacle
};
/// Returns the reason why kernels cannot draw from a key with these words, or an empty string for a
/// single threefry key.
std::string obstacle_of_key(std::span<const graph::Value> words);
/// Operands: x (f32 or bf16), the words of a threefry key. attrs: DropoutAttrs. Supports only one
/// device.
extern const graph::OpDef kDropout;

}  // namespace meshwright::kernels
