// SPDX-License-Identifier: Apache-2.0
// Converters of states (state_builder.h). Patterns match whole paths of the state, such as
// "model/head/.*"; the first match wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/train/restore/state_builder.h"

namespace meshwright::train {

/// Maps a scope of the target's parameters to a scope of the source's; the empty scope is the whole
/// model. Only parameters are restored; those in no scope keep their values. If scopes of the
/// target overlap, the later one wins.
struct Scope {
  std::string target, source;
};
StateConverter scopes(std::vector<Scope> scopes);

/// Maps names of the target to names of the source. `source` is a template that may refer to the
/// pattern's groups (expand_match()); without it, the array is not restored. Names that match no
/// rule are unchanged.
struct RenameRule {
  Regex target;
  std::optional<std::string> source;
};
/// Throws invalid_argument if a rule matches nothing, or if two arrays of different types would
/// have the same source.
StateConverter rename(std::vector<RenameRule> rules);

/// Where a matched array comes from.
enum class MergeChoice {
  source,
  target,  // keeps the target's value
};
struct MergeRule {
  Regex pattern;
  MergeChoice choice;
};
/// Arrays that match no rule come from the source.
StateConverter merge(std::vector<MergeRule> rules);

/// How to resize position embeddings.
enum class PositionStrategy {
  truncate,               // keep the first positions
  truncate_left,          // keep the last positions
  interpolate,            // linear, like jax.image.resize
  interpolate_grid,       // bilinear on a row-major grid of patches, like Big Vision
  replace_target_prefix,  // overwrite the first positions, keep the others
  keep_target,            // keep all values of the target
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
/// Grid for interpolate_grid. If absent, the grid is square.
struct PatchGrid {
  std::int64_t rows = 0, columns = 0;
  bool operator==(const PatchGrid&) const = default;
};
struct PatchGrids {
  std::optional<PatchGrid> source = {}, target = {};
};
/// Resizes arrays that match a pattern. Source and target may differ only in one dimension, the
/// positions. Throws invalid_argument otherwise, if there are too few positions to truncate or too
/// many to replace a prefix, or if a grid does not match the number of positions.
StateConverter resize_positions(std::vector<Regex> patterns,
                                PositionStrategy strategy,
                                PatchGrids grids = {});

/// Uses the moving averages kept by the source's learner as parameters. They also initialise the
/// averages of the target, if it keeps any.
StateConverter ema_params();

}  // namespace meshwright::train
