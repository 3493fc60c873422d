// SPDX-License-Identifier: Apache-2.0
// Rules that select, rename and cast the arrays of a checkpoint. Reads no elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// Renames the arrays whose whole path matches. \1 to \9 in `to` stand for groups.
struct RenameRule {
  Regex from;
  std::string to;
};
struct DTypeRule {
  Regex arrays;
  DType dtype;
};

/// Rules apply in this order. Patterns must match the whole path.
struct ArrayRules {
  std::optional<Regex> only;  // drops all other arrays
  std::vector<Regex> drop;
  std::vector<DTypeRule> reinterpret;  // takes the bits for another dtype of the same size
  std::vector<DTypeRule> cast;         // the first that matches counts; paths before renaming
  std::vector<RenameRule> rename;      // the first that matches counts
};

/// The result of applying rules to a checkpoint.
struct RuledArrays {
  Stored stored;
  std::vector<std::string> dropped;  // paths
  std::size_t num_renamed = 0, num_cast = 0;
};
/// Applies the rules. Throws invalid_argument if a rule matches nothing, if two arrays would get
/// one name, or if a dtype cannot be cast.
RuledArrays apply_rules(const Stored& stored, const ArrayRules& rules);

}  // namespace meshwright::checkpoint
