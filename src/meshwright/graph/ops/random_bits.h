// SPDX-License-Identifier: Apache-2.0
// Where random bits come from. Users take them through graph/random.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// Operands: the two words of a key, the high and the low word of a counter, all u32; the keys have
/// the leading dimensions of the counters. Two results shaped as the counters.
extern const OpDef kThreefry2x32;

/// Operand: a state of u64[2]. Results: the next state, and bits of this type. attrs: ArrayType.
extern const OpDef kRngBitGenerator;

inline constexpr std::array kRandomBitsOps = {&kThreefry2x32, &kRngBitGenerator};

/// The Threefry-2x32 hash with 20 rounds, element by element; base/threefry.h is the same on the
/// host. A key of shape [b] hashes counters of shape [b, ...].
std::array<Value, 2> threefry2x32(const std::array<Value, 2>& key,
                                  const std::array<Value, 2>& counter,
                                  SourceLoc loc = SourceLoc::current());

/// stablehlo: rng_bit_generator, with the algorithm that the backend likes best: the bits depend on
/// the backend and its version. `type` is an unsigned integer array.
std::array<Value, 2> rng_bit_generator(Value state,
                                       ArrayType type,
                                       SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
