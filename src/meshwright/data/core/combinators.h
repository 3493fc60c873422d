// SPDX-License-Identifier: Apache-2.0
// Sources that wrap other sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

using SourcePtr = std::shared_ptr<const Source>;

/// A transformation of batches. `function` maps rows to the same number of rows, each independently
/// of the others. It must be pure and thread-safe.
struct BatchMap {
  std::string name;  // part of the identity
  BatchSpec spec;    // spec of the result
  std::function<Batch(const Batch&)> function;
};

/// Returns a source that applies `map` to each batch. batch() throws invalid_argument if the result
/// does not match `map.spec`.
SourcePtr mapped(SourcePtr source, BatchMap map);

/// Returns the first `num_batches` batches of `source`. Throws invalid_argument if it has fewer.
SourcePtr taken(SourcePtr source, std::int64_t num_batches);

}  // namespace meshwright::data
