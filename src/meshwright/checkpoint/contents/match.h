// SPDX-License-Identifier: Apache-2.0
// Compares a checkpoint with the state to be restored.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/config/type_of.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::checkpoint {

/// How closely a checkpoint must match. `exact`: it has the same arrays, with the same types.
/// `contains`: it may have additional arrays. `_up_to_dtype`: the dtype may differ if it can be
/// cast (cast.h).
enum class Match { exact, exact_up_to_dtype, contains, contains_up_to_dtype };
inline config::Choices<Match> config_choices(Match) {
  using enum Match;
  return {{"exact", exact},
          {"exact_up_to_dtype", exact_up_to_dtype},
          {"contains", contains},
          {"contains_up_to_dtype", contains_up_to_dtype}};
}

/// Returns the differences as lines sorted by path: '-' marks arrays of the checkpoint, '+'
/// requested arrays. The line of a missing array suggests the nearest name, if one is near.
/// Returns no lines if they match.
std::vector<std::string> differing_lines(const Tree<ArrayType>& stored,
                                         const Tree<ArrayType>& wanted,
                                         Match match);

/// Selects the requested arrays of a checkpoint, cast to the requested dtypes, without reading
/// elements. Throws invalid_argument with all differing lines if there are any.
Stored select(const Stored& stored, const Tree<ArrayType>& wanted, Match match = Match::exact);

/// Like select() above, but takes arrays that the checkpoint lacks from `fallback` and appends
/// their paths to `taken_from_fallback`.
Stored select(const Stored& stored,
              const Tree<ArrayType>& wanted,
              Match match,
              const Tree<StoredArray>& fallback,
              std::vector<std::string>& taken_from_fallback);

}  // namespace meshwright::checkpoint
