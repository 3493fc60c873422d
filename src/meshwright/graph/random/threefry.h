// SPDX-License-Identifier: Apache-2.0
// Threefry as in JAX, for the keys and samplers of the other headers. Uses kernels on a single CPU
// device: with formulas, a model's initial values would be thousands of ops, which take XLA most of
// a second to compile.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph::random {

/// Hashes 64-bit counters, given as high and low words, like threefry2x32.
extern const OpDef kThreefryHash;
/// Operands: the words of a key or a batch of keys. Result: random u32 or u64 numbers, one array
/// per key. attrs: the ArrayType of the result, whose leading dimensions are those of the keys.
extern const OpDef kThreefryBits;

/// The high and low words of keys or counters.
using KeyWords = std::array<Value, 2>;

KeyWords threefry_hash(const KeyWords& key,
                       const KeyWords& counter,
                       SourceLoc loc = SourceLoc::current());
Value threefry_bits(const KeyWords& key,
                    const Dims& dims,
                    DType dtype,
                    SourceLoc loc = SourceLoc::current());

/// Returns the row-major position of each element of `dims`, repeated along the leading dimensions
/// `batch`. Computed from iotas, so that each device computes only its shard.
KeyWords counters(const Dims& batch, const Dims& dims, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
