// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::graph::random {

/// Like jax.random.bits: returns random u8, u16, u32 or u64 numbers of shape key.dims() + dims. A
/// batch of keys draws one array from each key; a batch of rbg keys draws everything from its first
/// key, as in JAX under vmap.
Value bits(const Key& key,
           const Dims& dims,
           DType dtype = u32,
           SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
