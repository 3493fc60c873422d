// SPDX-License-Identifier: Apache-2.0
// Sources of random bits. Models use them through graph/random.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// Operands: the two words of the keys, then the high and low words of the counters, all u32. The
/// shape of the keys is a prefix of the shape of the counters. Results: two arrays of the shape of
/// the counters.
extern const OpDef kThreefry2x32;

/// Operand: a state, u64[2]. attrs: the ArrayType of the bits. Results: the next state and the
/// bits.
extern const OpDef kRngBitGenerator;

inline constexpr std::array kRandomBitsOps = {&kThreefry2x32, &kRngBitGenerator};

/// Computes the Threefry-2x32 hash with 20 rounds, elementwise; base/threefry.h computes the same
/// hash on the host. A key of shape [b] hashes counters of shape [b, ...].
std::array<Value, 2> threefry2x32(const std::array<Value, 2>& key,
                                  const std::array<Value, 2>& counter,
                                  SourceLoc loc = SourceLoc::current());

/// stablehlo: rng_bit_generator with the backend's default algorithm: the bits depend on the
/// backend and its version. `type` must be an array of unsigned integers.
std::array<Value, 2> rng_bit_generator(Value state,
                                       ArrayType type,
                                       SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
