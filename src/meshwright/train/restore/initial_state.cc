// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/initial_state.h"

#include <utility>

#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

using checkpoint::ArrayParts;

// A counter of this run, which always starts at 0.
constexpr const char* kNumSkipped = "num_skipped";

BuildState wanted_state(const StateLayout& layout) {
  BuildState out;
  for_each(layout.specs, [&](const std::string& path, const ParamSpec& spec) {
    if (path != kNumSkipped) out.arrays[path] = StateArray{.type = spec.type};
  });
  return out;
}

void add_values(BuildState& state, const StepRunner& runner) {
  const Tree<ArrayParts> values = checkpoint::snapshot(runner.state());
  state.arrays = map(state.arrays, [&](const std::string& path, StateArray array) {
    array.value = checkpoint::assemble(values.at(path).value());
    return array;
  });
}

void check_types(const BuildState& built, const BuildState& wanted) {
  auto compare = [](const StateArray& array, const StateArray& spec) {
    if (array.is_built && !array.value) return std::string("has no value");
    return array.type == spec.type ? "" : str(array.type, " and ", spec.type);
  };
  std::vector<std::string> found =
      differences(built.arrays, wanted.arrays, compare, "the built state", "this run");
  if (!found.empty()) fail_trees_differ("the built initial state", "this run", found);
}

bool may_be_partial(const std::string& path) {
  return path.starts_with("model/") || path.starts_with("learner/ema/");
}

// Runs the builder. `runner` holds initial values, for a builder that needs them.
BuildState build(const StateLayout& layout, const StateBuilder& builder, const StepRunner* runner) {
  const BuildState wanted = wanted_state(layout);
  BuildState state = wanted;
  if (runner != nullptr) add_values(state, *runner);
  state = builder.build(std::move(state));
  check_types(state, wanted);
  return state;
}

}  // namespace

std::optional<BuildState> build_early(const StateLayout& layout,
                                      const std::optional<StateBuilder>& builder) {
  if (!builder || builder->needs_values) return std::nullopt;
  log_info("initialising the state from ", builder->name);
  return build(layout, *builder, nullptr);
}

std::int64_t begin_state(StepRunner& runner,
                         const StateLayout& layout,
                         std::int64_t seed,
                         const std::optional<StateBuilder>& builder,
                         std::optional<BuildState> built) {
  if (!builder) {
    runner.init(seed);
    return 0;
  }
  if (!built) built = build_early(layout, builder);
  if (!built) {
    log_info("initialising the state from seed ", seed, ", then from ", builder->name);
    runner.init(seed);
    built = build(layout, *builder, &runner);
  }
  const BuildState& state = *built;
  const std::vector<std::string> paths = built_paths(state);
  const bool is_whole = paths.size() == state.arrays.num_leaves();
  log_info("initial state: step ", state.step, ", ", is_whole ? "all " : "", paths.size(),
           is_whole ? "" : str(" of ", state.arrays.num_leaves()), " arrays restored or given",
           is_whole ? "" : str(", the others from seed ", seed));
  if (is_whole) {
    Tree<checkpoint::StoredArray> arrays = map(state.arrays, [](const StateArray& array) {
      return checkpoint::stored_value(*array.value);
    });
    arrays[kNumSkipped] = checkpoint::stored_value(HostTensor::scalar<std::int32_t>(0));
    runner.restore(arrays);
    return state.step;
  }
  Tree<HostTensor> prebuilt;
  for (const std::string& path : paths) {
    MW_CHECK(may_be_partial(path), "partial initialization is not supported for ", path,
             "\nbuild all of the state, or parameters only");
    prebuilt[path] = *state.arrays.at(path).value().value;
  }
  runner.init(seed, prebuilt);
  return state.step;
}

}  // namespace meshwright::train
