// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/state_converters.h"

#include <algorithm>
#include <map>

#include "meshwright/base/regex_template.h"
#include "meshwright/train/restore/resize_axis.h"

namespace meshwright::train {
namespace {

using Arrays = Tree<StateArray>;

constexpr const char* kModel = "model";
constexpr const char* kAverages = "learner/ema";

StateArray only_wanted(const StateArray& array) {
  return {.type = array.type, .has_open_dims = array.has_open_dims};
}

// Two arrays of the target may have the same source if one array can satisfy both types.
void want(Arrays& source, const std::string& path, const StateArray& array) {
  const Arrays* there = source.find(path);
  MW_CHECK(there == nullptr || (there->is_leaf() && there->value().type == array.type),
           "initial state: '", path, "' of the source is requested as ", array.type, " and as ",
           there != nullptr && there->is_leaf() ? str(there->value().type) : "several arrays");
  source[path] = only_wanted(array);
}

// Takes restored arrays; arrays that were not restored leave the target unchanged.
void take(const Arrays& source, const std::string& path, StateArray& target) {
  const Arrays* found = source.find(path);
  if (found != nullptr && found->is_leaf() && found->value().is_built) target = found->value();
}

// Replaces the scope `from` by `to`; nullopt for paths outside of `from`. The empty scope contains
// every path.
std::optional<std::string> moved(const std::string& path,
                                 const std::string& from,
                                 const std::string& to) {
  if (path == from) return to;
  std::string below = path;
  if (!from.empty()) {
    if (!path.starts_with(from + "/")) return std::nullopt;
    below = path.substr(from.size() + 1);
  }
  return join_tree_path(to, below);
}

// Calls f(path of the target, path of the source) for every array of a scope.
void for_each_in_scope(const Arrays& target,
                       const Scope& scope,
                       const std::function<void(const std::string&, const std::string&)>& f) {
  bool is_empty = true;
  for_each(target.at(kModel), [&](const std::string& path, const StateArray&) {
    std::optional<std::string> source = moved(path, scope.target, scope.source);
    if (!source) return;
    is_empty = false;
    f(join_tree_path(kModel, path), join_tree_path(kModel, *source));
  });
  MW_CHECK(!is_empty, "initial state: the model has no parameters below '", scope.target, "'");
}

std::optional<std::string> renamed(const std::vector<RenameRule>& rules, const std::string& path) {
  for (const RenameRule& rule : rules) {
    if (!rule.target.matches(path)) continue;
    return rule.source ? expand_match(rule.target, path, *rule.source) : std::nullopt;
  }
  return path;
}

void check_all_used(const std::vector<RenameRule>& rules, const Arrays& target) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    bool is_used = false;
    for_each(target, [&](const std::string& path, const StateArray&) {
      auto matches = [&](const RenameRule& rule) { return rule.target.matches(path); };
      is_used = is_used || std::ranges::find_if(rules, matches) - rules.begin() ==
                               static_cast<std::ptrdiff_t>(i);
    });
    MW_CHECK(is_used, "initial state: the rule ", rules[i].target, " in names matches no array");
  }
}

bool is_target_kept(const std::vector<MergeRule>& rules, const std::string& path) {
  for (const MergeRule& rule : rules) {
    if (rule.pattern.matches(path)) return rule.choice == MergeChoice::target;
  }
  return false;
}

// Returns text such as "all parameters" or "decoder from encoder, head".
std::string scope_names(const std::vector<Scope>& scopes) {
  const auto name = [](const std::string& scope) { return scope.empty() ? "the model" : scope; };
  std::vector<std::string> out;
  for (const Scope& scope : scopes) {
    const bool is_same = scope.target == scope.source;
    if (is_same && scope.target.empty()) return "all parameters";
    out.push_back(str(name(scope.target), is_same ? "" : " from " + name(scope.source)));
  }
  return join(out, ", ");
}

}  // namespace

StateConverter scopes(std::vector<Scope> scopes) {
  std::string name = scope_names(scopes);
  auto to_source = [scopes](const BuildState& target) {
    BuildState out{.step = target.step};
    for (const Scope& scope : scopes) {
      for_each_in_scope(target.arrays, scope,
                        [&](const std::string& path, const std::string& from) {
                          want(out.arrays, from, target.arrays.at(path).value());
                        });
    }
    return out;
  };
  auto to_target = [scopes = std::move(scopes)](const BuildState& source,
                                                const BuildState& target) {
    BuildState out = target;
    for (const Scope& scope : scopes) {
      for_each_in_scope(target.arrays, scope,
                        [&](const std::string& path, const std::string& from) {
                          take(source.arrays, from, out.arrays.at(path).value());
                        });
    }
    return out;
  };
  return {.name = std::move(name), .to_source = to_source, .to_target = to_target};
}

StateConverter rename(std::vector<RenameRule> rules) {
  auto to_source = [rules](const BuildState& target) {
    check_all_used(rules, target.arrays);
    BuildState out{.step = target.step};
    for_each(target.arrays, [&](const std::string& path, const StateArray& array) {
      if (std::optional<std::string> name = renamed(rules, path)) want(out.arrays, *name, array);
    });
    return out;
  };
  auto to_target = [rules](const BuildState& source, const BuildState& target) {
    BuildState out{.step = source.step};
    out.arrays = map(target.arrays, [&](const std::string& path, StateArray array) {
      if (std::optional<std::string> name = renamed(rules, path)) take(source.arrays, *name, array);
      return array;
    });
    return out;
  };
  return {.name = "renamed", .to_source = to_source, .to_target = to_target};
}

StateConverter merge(std::vector<MergeRule> rules) {
  auto to_source = [rules](const BuildState& target) {
    BuildState out{.step = target.step};
    for_each(target.arrays, [&](const std::string& path, const StateArray& array) {
      if (!is_target_kept(rules, path)) out.arrays[path] = array;
    });
    return out;
  };
  auto to_target = [rules](const BuildState& source, const BuildState& target) {
    BuildState out{.step = source.step};
    out.arrays = map(target.arrays, [&](const std::string& path, StateArray array) {
      if (!is_target_kept(rules, path)) take(source.arrays, path, array);
      return array;
    });
    return out;
  };
  return {.name = "merged", .to_source = to_source, .to_target = to_target};
}

StateConverter resize_positions(std::vector<Regex> patterns,
                                PositionStrategy strategy,
                                PatchGrids grids) {
  auto matches = [patterns = std::move(patterns)](const std::string& path) {
    return std::ranges::any_of(patterns, [&](const Regex& p) { return p.matches(path); });
  };
  auto to_source = [matches, strategy](const BuildState& target) {
    BuildState out{.step = target.step};
    for_each(target.arrays, [&](const std::string& path, const StateArray& array) {
      const bool is_resized = matches(path);
      if (is_resized && strategy == PositionStrategy::keep_target) return;
      out.arrays[path] = array;
      if (is_resized) out.arrays.at(path).value().has_open_dims = true;
    });
    return out;
  };
  auto to_target = [matches, strategy, grids](const BuildState& source, const BuildState& target) {
    BuildState out{.step = source.step};
    out.arrays = map(target.arrays, [&](const std::string& path, StateArray array) {
      StateArray before = array;
      take(source.arrays, path, array);
      if (!matches(path)) return array;
      if (strategy == PositionStrategy::keep_target) return before;
      const bool is_grid = strategy == PositionStrategy::interpolate_grid;
      if (array.is_built && (array.type != before.type || is_grid))
        set_built(array, resized(*array.value, before, {strategy, grids}, path));
      return array;
    });
    return out;
  };
  return {.name = "positions resized",
          .needs_values = strategy == PositionStrategy::replace_target_prefix,
          .to_source = to_source,
          .to_target = to_target};
}

StateConverter ema_params() {
  auto average = [](const std::string& path) { return join_tree_path(kAverages, path); };
  auto to_source = [average](const BuildState& target) {
    BuildState out{.step = target.step};
    for_each(target.arrays.at(kModel), [&](const std::string& path, const StateArray& array) {
      out.arrays[average(path)] = only_wanted(array);
    });
    return out;
  };
  auto to_target = [average](const BuildState& source, const BuildState& target) {
    BuildState out = target;
    for_each(target.arrays.at(kModel), [&](const std::string& path, const StateArray&) {
      take(source.arrays, average(path), out.arrays.at(join_tree_path(kModel, path)).value());
      if (out.arrays.find(average(path)) != nullptr)
        take(source.arrays, average(path), out.arrays.at(average(path)).value());
    });
    return out;
  };
  return {.name = "moving averages as parameters", .to_source = to_source, .to_target = to_target};
}

}  // namespace meshwright::train
