// SPDX-License-Identifier: Apache-2.0
// Config of a run that starts from the state of another run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/config/pattern.h"
#include "meshwright/train/restore/state_converters.h"

namespace meshwright::train {

/// { params = "encoder/(.*)", from = 'vit/\1' }
struct InitNameRule {
  std::string params;
  std::optional<std::string> from;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.optional(
        "from", from,
        "Name in the other checkpoint, with \\1 to \\9 for groups. `none`: keep initial values.");
  }
};

/// { params = ".*/pos_emb", strategy = "truncate" }
struct InitPositionRule {
  std::string params;
  PositionStrategy strategy = PositionStrategy::truncate;
  std::optional<std::vector<std::int64_t>> from_grid, grid;

  void fields(auto& f) {
    f.required("params", params, config::kPattern, "Pattern that must match the whole path.");
    f.required("strategy", strategy, "How to resize to another number of positions.");
    f.optional("from_grid", from_grid, config::kPositive,
               "Rows and columns in the other checkpoint, for interpolate_grid. `none`: a square.");
    f.optional("grid", grid, config::kPositive,
               "Rows and columns in this model. `none`: a square.");
    f.check(
        "from_grid", [this] { return is_grid(from_grid); },
        "be two numbers and set only for interpolate_grid");
    f.check(
        "grid", [this] { return is_grid(grid); },
        "be two numbers and set only for interpolate_grid");
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
  std::optional<std::string> layout;
  std::map<std::string, std::string> scopes;
  std::vector<InitNameRule> names;
  std::vector<InitPositionRule> positions;
  bool may_lack = false;

  void fields(auto& f) {
    f.required(
        "from", from, config::kNonEmpty,
        "A run or a checkpoint: a folder, or a file such as vit.npz. PATH:img/enc takes only "
        "what is below img/enc.");
    f.optional("step", step, config::kNotNegative, "Step of the checkpoint. `none`: the newest.");
    f.optional("all", all,
               "Also restore the step, learner state and random key. `false`: restore the "
               "parameters only.");
    f.optional("use_ema", use_ema, "Take its moving averages as the parameters.");
    f.optional("layout", layout, config::kNonEmpty,
               "System whose names the checkpoint has: axlearn, t5x, big_vision, seqax or native. "
               "`none`: the one whose format it is, or whose names fit.");
    f.optional(
        "scopes", scopes,
        "Restore only parameters below these paths, each from a path in the other checkpoint: "
        "here = \"there\".");
    f.optional("names", names,
               "Parameters with other names in the checkpoint. The first match counts.");
    f.optional("positions", positions, "Position embeddings of another length.");
    f.optional("may_lack", may_lack,
               "Keep initial values for parameters missing in the checkpoint instead of failing.");
    f.check(
        "all",
        [this] {
          return !all ||
                 (!use_ema && scopes.empty() && names.empty() && positions.empty() && !may_lack);
        },
        "not be set together with settings that change the state");
    f.check(
        "names", [this] { return names.empty() || scopes.empty(); },
        "not be set together with scopes");
  }
};

/// Returns the builder for a config; `foreign_layout` and `systems` are as in RestoreOptions.
/// Throws invalid_argument for an invalid pattern.
StateBuilder state_builder(const InitStateConfig& config,
                           checkpoint::FindForeignLayout foreign_layout = nullptr,
                           std::vector<std::string> systems = {});

}  // namespace meshwright::train
