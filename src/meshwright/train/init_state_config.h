// SPDX-License-Identifier: Apache-2.0
// Beginning with the state of another run, in configs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/dialect.h"
#include "meshwright/config/pattern.h"
#include "meshwright/train/state_converters.h"

namespace meshwright::train {

/// { params = "encoder/(.*)", from = 'vit/\1' }
struct InitNameRule {
  std::string params;
  std::optional<std::string> from;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "pattern of whole paths");
    f.optional("from", from, "their names there, with \\1 to \\9; none: keep initial values");
  }
};

/// { params = ".*/pos_emb", strategy = "truncate" }
struct InitPositionRule {
  std::string params;
  PositionStrategy strategy = PositionStrategy::truncate;
  std::optional<std::vector<std::int64_t>> from_grid, grid;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "pattern of whole paths");
    f.required("strategy", strategy, "how they are brought to another number of positions");
    f.optional("from_grid", from_grid, config::kPositive,
               "rows and columns there, for interpolate_grid; none: a square");
    f.optional("grid", grid, config::kPositive, "rows and columns here; none: a square");
    f.check(
        "from_grid", [this] { return is_grid(from_grid); }, "be two numbers, for interpolate_grid");
    f.check(
        "grid", [this] { return is_grid(grid); }, "be two numbers, for interpolate_grid");
  }
  bool is_grid(const std::optional<std::vector<std::int64_t>>& sizes) const {
    return !sizes || (sizes->size() == 2 && strategy == PositionStrategy::interpolate_grid);
  }
};

struct InitStateConfig {
  std::string from;
  std::optional<std::int64_t> step;
  bool all = false;
  bool use_ema = false;
  std::map<std::string, std::string> scopes;
  std::vector<InitNameRule> names;
  std::vector<InitPositionRule> positions;
  bool may_lack = false;

  void fields(auto& f) {
    f.required("from", from, config::kNonEmpty, "folder of a run or of a checkpoint");
    f.optional("step", step, config::kNotNegative, "which checkpoint; none: the newest");
    f.optional("all", all,
               "continue that run, its step, learner and random key too; else parameters only");
    f.optional("use_ema", use_ema, "its moving averages as parameters");
    f.optional("scopes", scopes,
               "restore what is below these paths only, from those there: here = \"there\"");
    f.optional("names", names, "parameters that have other names there; the first match counts");
    f.optional("positions", positions, "embeddings of another number of positions");
    f.optional("may_lack", may_lack, "what is not there keeps initial values; else it is an error");
    f.check(
        "all",
        [this] {
          return !all ||
                 (!use_ema && scopes.empty() && names.empty() && positions.empty() && !may_lack);
        },
        "not be set together with what changes the state");
    f.check(
        "names", [this] { return names.empty() || scopes.empty(); },
        "not be set together with scopes");
  }
};

/// What the config says; `dialect` as in RestoreOptions. Throws invalid_argument for a pattern that
/// is none.
StateBuilder state_builder(const InitStateConfig& config,
                           checkpoint::FindDialect dialect = nullptr);

}  // namespace meshwright::train
