// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/init_state_config.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/train/restore/restore_builder.h"

namespace meshwright::train {
namespace {

constexpr const char* kNativeLayout = "native";

// Paths in configs are relative to the parameters.
Regex below_model(const std::string& pattern) {
  return Regex(str("model/(?:", Regex(pattern).pattern(), ")"));
}

StateConverter names_of(const InitStateConfig& config) {
  std::vector<RenameRule> rules;
  for (const InitNameRule& rule : config.names) {
    std::optional<std::string> source;
    if (rule.from) source = "model/" + *rule.from;
    rules.push_back({below_model(rule.params), std::move(source)});
  }
  return rename(std::move(rules));
}

StateConverter scopes_of(const InitStateConfig& config) {
  if (config.scopes.empty()) return scopes({{"", ""}});
  std::vector<Scope> out;
  for (const auto& [target, source] : config.scopes)
    out.push_back({target, source});
  return scopes(std::move(out));
}

PatchGrids grids_of(const InitPositionRule& rule) {
  auto grid = [](const std::optional<std::vector<std::int64_t>>& sizes) {
    return sizes ? std::optional(PatchGrid{sizes->at(0), sizes->at(1)}) : std::nullopt;
  };
  return {.source = grid(rule.from_grid), .target = grid(rule.grid)};
}

}  // namespace

StateBuilder state_builder(const InitStateConfig& config,
                           checkpoint::FindForeignLayout foreign_layout,
                           std::vector<std::string> systems) {
  const bool is_known = !config.layout || *config.layout == kNativeLayout ||
                        std::ranges::find(systems, *config.layout) != systems.end();
  MW_CHECK(is_known, "init_state.layout: '", config.layout.value_or(""), "' is not one of ",
           join(systems, ", "), ", ", kNativeLayout);
  StateBuilder checkpoint = from_checkpoint({.folder = config.from,
                                             .step = config.step,
                                             .may_lack = config.may_lack,
                                             .foreign_layout = std::move(foreign_layout),
                                             .systems = std::move(systems),
                                             .layout = config.layout});
  if (config.all) return checkpoint;
  // In order from the checkpoint to the wanted state.
  std::vector<StateConverter> converters;
  if (config.use_ema) converters.push_back(ema_params());
  if (!config.names.empty()) converters.push_back(names_of(config));
  converters.push_back(scopes_of(config));
  for (const InitPositionRule& rule : config.positions)
    converters.push_back(
        resize_positions({below_model(rule.params)}, rule.strategy, grids_of(rule)));
  return restore_and_convert(std::move(checkpoint), chain(std::move(converters)));
}

}  // namespace meshwright::train
