// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/state_builder.h"

#include <algorithm>

#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

using Arrays = Tree<StateArray>;

std::string type_difference(const StateArray& before, const StateArray& after) {
  return before.type == after.type ? "" : str(before.type, " and ", after.type);
}

void check_same_types(const std::string& name, const Arrays& before, const Arrays& after) {
  std::vector<std::string> found =
      differences(before, after, type_difference, "the state", "the built state");
  if (!found.empty()) {
    fail(ErrorCode::invalid_argument, name, ": the built arrays do not match the state:\n  ",
         join(found, "\n  "));
  }
}

}  // namespace

std::vector<std::string> built_paths(const BuildState& state) {
  std::vector<std::string> out;
  for_each(state.arrays, [&](const std::string& path, const StateArray& array) {
    if (array.is_built) out.push_back(path);
  });
  return out;
}

void set_built(StateArray& array, HostTensor value) {
  array.type = value.type();
  array.value = std::move(value);
  array.is_built = true;
  array.has_open_dims = false;
}

StateBuilder chain(std::vector<StateBuilder> builders, bool names_may_change) {
  StateBuilder out;
  std::vector<std::string> names;
  for (const StateBuilder& builder : builders) {
    names.push_back(builder.name);
    out.needs_values = out.needs_values || builder.needs_values;
  }
  out.name = join(names, ", ");
  out.build = [builders = std::move(builders), names_may_change](BuildState state) {
    const Arrays before = state.arrays;
    for (const StateBuilder& builder : builders) {
      log_info("initial state: ", builder.name);
      state = builder.build(std::move(state));
    }
    if (!names_may_change)
      check_same_structure(before, state.arrays, "the state", "the built state");
    return state;
  };
  return out;
}

StateConverter chain(std::vector<StateConverter> converters) {
  StateConverter out;
  std::vector<std::string> names;
  for (const StateConverter& converter : converters) {
    names.push_back(converter.name);
    out.needs_values = out.needs_values || converter.needs_values;
  }
  out.name = join(names, ", ");
  // Returns the targets of all converters in order, then the source of the first.
  auto targets = [converters](const BuildState& target) {
    std::vector<BuildState> states = {target};
    for (auto it = converters.rbegin(); it != converters.rend(); ++it)
      states.push_back(it->to_source(states.back()));
    std::ranges::reverse(states);
    std::rotate(states.begin(), states.begin() + 1, states.end());
    return states;
  };
  out.to_source = [targets](const BuildState& target) { return targets(target).back(); };
  out.to_target = [converters = std::move(converters), targets](const BuildState& source,
                                                                const BuildState& target) {
    const std::vector<BuildState> of_each = targets(target);
    BuildState state = source;
    for (std::size_t i = 0; i < converters.size(); ++i)
      state = converters[i].to_target(state, of_each[i]);
    return state;
  };
  return out;
}

StateBuilder restore_and_convert(StateBuilder builder, StateConverter converter) {
  StateBuilder out;
  out.name = str(builder.name, " (", converter.name, ")");
  out.needs_values = builder.needs_values || converter.needs_values;
  out.build = [name = out.name, builder = std::move(builder),
               converter = std::move(converter)](const BuildState& state) {
    BuildState restored = builder.build(converter.to_source(state));
    BuildState built = converter.to_target(restored, state);
    check_same_types(name, state.arrays, built.arrays);
    return built;
  };
  return out;
}

StateBuilder given(Tree<HostTensor> arrays) {
  StateBuilder out;
  out.name = "given arrays";
  out.build = [arrays = std::move(arrays)](BuildState state) {
    std::vector<std::string> found;
    for_each(arrays, [&](const std::string& path, const HostTensor& value) {
      const Arrays* there = state.arrays.find(path);
      if (there == nullptr || !there->is_leaf()) {
        found.push_back(str("'", path, "' is not an array of the state"));
      } else if (there->value().type != value.type()) {
        found.push_back(str("'", path, "': ", value.type(), " and ", there->value().type));
      } else {
        set_built(state.arrays.at(path).value(), value);
      }
    });
    if (!found.empty()) fail_trees_differ("the given arrays", "the state", found);
    state.step = 0;
    return state;
  };
  return out;
}

StateBuilder prune(std::vector<Regex> patterns) {
  StateBuilder out;
  out.name = "prune";
  out.build = [patterns = std::move(patterns)](const BuildState& state) {
    BuildState kept{.step = state.step};
    for_each(state.arrays, [&](const std::string& path, const StateArray& array) {
      auto matches = [&](const Regex& pattern) { return pattern.matches(path); };
      if (std::ranges::none_of(patterns, matches)) kept.arrays[path] = array;
    });
    return kept;
  };
  return out;
}

}  // namespace meshwright::train
