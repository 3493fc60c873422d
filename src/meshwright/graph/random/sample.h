// SPDX-License-Identifier: Apache-2.0
// Random arrays, equal to jax.random's bit by bit for threefry keys. Every function draws an array
// of shape key.dims() + dims: a batch of keys draws one array from each key. Floats are f16, bf16,
// f32 or f64.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::graph::random {

/// Uniform in [low, high); the bounds are numbers or arrays that broadcast to `dims`.
Value uniform(
    const Key& key, const Dims& dims, DType dtype = f32, Operand low = 0.0, Operand high = 1.0);

/// Normal with mean 0 and variance 1.
Value normal(const Key& key,
             const Dims& dims,
             DType dtype = f32,
             SourceLoc loc = SourceLoc::current());

/// Normal, restricted to the open interval (low, high), which makes the variance smaller.
Value truncated_normal(
    const Key& key, Operand low, Operand high, const Dims& dims, DType dtype = f32);

/// How finely rare events are resolved. JAX uses `low` unless told otherwise, which is off for
/// probabilities below about 1e-7 in f32; `high` costs twice the bits.
enum class Resolution { low, high };

/// Booleans that are true with probability p: a number, compared as f32, or a float array that
/// broadcasts to `dims`, compared in its own dtype.
Value bernoulli(const Key& key,
                Operand p,
                const Dims& dims,
                Resolution resolution = Resolution::low);

/// Exponential with rate 1.
Value exponential(const Key& key,
                  const Dims& dims,
                  DType dtype = f32,
                  SourceLoc loc = SourceLoc::current());

/// Gumbel with location 0 and scale 1.
Value gumbel(const Key& key,
             const Dims& dims,
             DType dtype = f32,
             Resolution resolution = Resolution::low,
             SourceLoc loc = SourceLoc::current());

/// Integers in [low, high) of any integer dtype; `low` itself where the interval is empty. The
/// bounds are numbers or integer arrays that broadcast to `dims`; beyond the dtype they are cut
/// off. As in JAX, slightly biased where high - low is not a power of two.
Value randint(const Key& key, Operand low, Operand high, const Dims& dims, DType dtype = s32);

}  // namespace meshwright::graph::random
