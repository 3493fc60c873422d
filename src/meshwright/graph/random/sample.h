// SPDX-License-Identifier: Apache-2.0
// Random arrays, bit-identical to those of jax.random for threefry keys. Every function returns an
// array of shape key.dims() + dims: a batch of keys draws one array from each key. Float dtypes are
// f16, bf16, f32 and f64.
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

/// Normal with mean 0 and variance 1, truncated to the open interval (low, high).
Value truncated_normal(
    const Key& key, Operand low, Operand high, const Dims& dims, DType dtype = f32);

/// How finely rare events are resolved. `low`, JAX's default, is inaccurate for probabilities below
/// about 1e-7 in f32; `high` needs twice as many bits.
enum class Resolution { low, high };

/// Booleans that are true with probability p, which is a number, compared as f32, or a float array
/// that broadcasts to `dims`, compared in its own dtype.
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

/// Integers in [low, high) of any integer dtype; `low` where the interval is empty. The bounds are
/// numbers or integer arrays that broadcast to `dims`, and are clamped to the range of the dtype.
/// As in JAX, the result is slightly biased unless high - low is a power of two.
Value randint(const Key& key, Operand low, Operand high, const Dims& dims, DType dtype = s32);

}  // namespace meshwright::graph::random
