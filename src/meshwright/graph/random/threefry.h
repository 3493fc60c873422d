// SPDX-License-Identifier: Apache-2.0
// Threefry as JAX uses it; users take the keys and draws of the other headers. Kernels on one CPU:
// the plain arithmetic of a model's initial values is thousands of operations, which XLA compiles
// for most of a second.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph::random {

/// The hash of 64-bit counters, given as the high and the low words, as threefry2x32.
extern const OpDef kThreefryHash;
/// Operands: the words of a key or a batch of keys. Result: u32 or u64 for each position, drawn
/// from each key. attrs: ArrayType of the result, whose first dimensions are those of the keys.
extern const OpDef kThreefryBits;

/// The words of a key, or of counters: high and low ones.
using KeyWords = std::array<Value, 2>;

KeyWords threefry_hash(const KeyWords& key,
                       const KeyWords& counter,
                       SourceLoc loc = SourceLoc::current());
Value threefry_bits(const KeyWords& key,
                    const Dims& dims,
                    DType dtype,
                    SourceLoc loc = SourceLoc::current());

/// The row-major position of each element of `dims`, repeated over the leading `batch`. Computed
/// from iotas, so that each device computes its own part.
KeyWords counters(const Dims& batch, const Dims& dims, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
