// SPDX-License-Identifier: Apache-2.0
// Converters of states (state_builder.h). Patterns match whole paths of the state, "model/head/.*",
// and the first one that matches counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/train/restore/state_builder.h"

namespace meshwright::train {

/// The parameters below a scope of the target come from those below a scope of the source; the
/// empty scope is the whole model. Nothing but parameters is restored, and those below no scope
/// stay. Where scopes of the target overlap, the later one counts.
struct Scope {
  std::string target, source;
};
StateConverter scopes(std::vector<Scope> scopes);

/// Other names in the source. `source` is a template for the groups of the pattern
/// (expand_match); without one the array is not restored. Names that no rule matches are the same.
struct RenameRule {
  Regex target;
  std::optional<std::string> source;
};
/// Throws invalid_argument for rules that are not used, and if two arrays of different types would
/// come from one.
StateConverter rename(std::vector<RenameRule> rules);

/// Which arrays are restored.
enum class MergeChoice {
  source,
  target,  // stays as it is
};
struct MergeRule {
  Regex pattern;
  MergeChoice choice;
};
/// What no rule matches comes from the source.
StateConverter merge(std::vector<MergeRule> rules);

/// How embeddings of positions are brought to another number of them.
enum class PositionStrategy {
  truncate,          // the first ones
  truncate_left,     // the last ones
  interpolate,       // in straight lines, as jax.image.resize does
  interpolate_grid,  // of a grid of patches, row by row, in both directions, as Big Vision does
  replace_target_prefix,  // the first ones from the source, the others stay
  keep_target,            // all stay
};
inline config::Choices<PositionStrategy> config_choices(PositionStrategy) {
  using enum PositionStrategy;
  return {{"truncate", truncate},
          {"truncate_left", truncate_left},
          {"interpolate", interpolate},
          {"interpolate_grid", interpolate_grid},
          {"replace_target_prefix", replace_target_prefix},
          {"keep_target", keep_target}};
}
/// For interpolate_grid; absent: as many rows as columns.
struct PatchGrid {
  std::int64_t rows = 0, columns = 0;
  bool operator==(const PatchGrid&) const = default;
};
struct PatchGrids {
  std::optional<PatchGrid> source = {}, target = {};
};
/// Of arrays that match. Source and target may differ in one dimension, that of the positions.
/// Throws invalid_argument otherwise, where there are too few positions to truncate or too many to
/// replace a prefix, and for grids that have other numbers of positions.
StateConverter resize_positions(std::vector<Regex> patterns,
                                PositionStrategy strategy,
                                PatchGrids grids = {});

/// The parameters are the moving averages which the learner of the source kept. They also begin the
/// averages of the target, if it keeps any.
StateConverter ema_params();

}  // namespace meshwright::train
