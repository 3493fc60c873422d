// SPDX-License-Identifier: Apache-2.0
// Sources made of others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "meshwright/data/source.h"

namespace meshwright::data {

using SourcePtr = std::shared_ptr<const Source>;

/// What a map does to batches. `function` gets some rows of a batch and gives as many, without
/// looking at their number; it must be pure and may be called by several threads at once.
struct BatchMap {
  std::string name;  // part of the identity
  BatchSpec spec;    // of the result
  std::function<Batch(const Batch&)> function;
};

/// Batches of `source`, each changed by a function. A result that is not as `map.spec` says makes
/// batch() throw invalid_argument.
SourcePtr mapped(SourcePtr source, BatchMap map);

/// The first `num_batches` batches of `source`. Throws invalid_argument if it has less.
SourcePtr taken(SourcePtr source, std::int64_t num_batches);

}  // namespace meshwright::data
