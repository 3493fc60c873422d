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

/// How much must agree: all arrays with their types; the same with any dtype that can be cast
/// (cast.h); or only those that are wanted, of which the checkpoint may hold more.
enum class Match { exact, exact_up_to_dtype, contains, contains_up_to_dtype };
inline config::Choices<Match> config_choices(Match) {
  using enum Match;
  return {{"exact", exact},
          {"exact_up_to_dtype", exact_up_to_dtype},
          {"contains", contains},
          {"contains_up_to_dtype", contains_up_to_dtype}};
}

/// Every line that differs, those of the checkpoint with '-' in front and those that are wanted
/// with '+', sorted by path; a missing array has the nearest name beside it. Empty if all is well.
std::vector<std::string> differing_lines(const Tree<ArrayType>& stored,
                                         const Tree<ArrayType>& wanted,
                                         Match match);

/// What of a checkpoint is wanted, with the dtypes that are wanted. Nothing is read yet. Throws
/// invalid_argument with all differing lines.
Stored select(const Stored& stored, const Tree<ArrayType>& wanted, Match match = Match::exact);

/// The same, where arrays that the checkpoint has not are taken from `fallback`. Their paths are
/// added to `taken_from_fallback`.
Stored select(const Stored& stored,
              const Tree<ArrayType>& wanted,
              Match match,
              const Tree<StoredArray>& fallback,
              std::vector<std::string>& taken_from_fallback);

}  // namespace meshwright::checkpoint
