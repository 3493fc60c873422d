// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/match_arrays.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/contents/cast.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::train {
namespace {

using checkpoint::Match;
using checkpoint::Stored;
using checkpoint::StoredArray;
using Types = Tree<ArrayType>;

Types types_of(const Stored& stored) {
  return map(stored.arrays, [](const StoredArray& array) { return array.type(); });
}

Types without(const Types& types, const std::vector<std::string>& paths) {
  Types out;
  for_each(types, [&](const std::string& path, const ArrayType& type) {
    if (std::ranges::find(paths, path) == paths.end()) out[path] = type;
  });
  return out;
}

std::vector<std::string> missing_paths(const Stored& stored, const Types& wanted) {
  std::vector<std::string> out;
  for_each(wanted, [&](const std::string& path, const ArrayType&) {
    if (stored.arrays.find(path) == nullptr) out.push_back(path);
  });
  return out;
}

std::string name_of(Match match) {
  for (const auto& [name, choice] : config_choices(match))
    if (choice == match) return std::string(name);
  return "";
}

// True if the checkpoint has none of this run's parameters, so that there is nothing to continue.
bool lacks_all_parameters(const Types& wanted, const std::vector<std::string>& missing) {
  auto is_parameter = [](const std::string& path) { return path.starts_with("model/"); };
  std::ptrdiff_t num_wanted = 0;
  for_each(wanted, [&](const std::string& path, const ArrayType&) {
    if (is_parameter(path)) ++num_wanted;
  });
  return num_wanted > 0 && std::ranges::count_if(missing, is_parameter) == num_wanted;
}

// Returns the strictest setting that would accept the checkpoint.
Remedy remedy(const Stored& stored,
              const Types& wanted,
              const std::vector<std::string>& missing,
              const RestoreConfig& config) {
  const bool initializes = config.missing == OnMissing::initialize;
  for (const Match match :
       {Match::exact, Match::exact_up_to_dtype, Match::contains, Match::contains_up_to_dtype}) {
    if (!differing_lines(types_of(stored), without(wanted, missing), match).empty()) continue;
    std::vector<std::pair<std::string, std::string>> settings;
    if (match != config.match) settings.emplace_back("checkpoint.restore_match", name_of(match));
    if (!missing.empty() && !initializes)
      settings.emplace_back("checkpoint.restore_missing", "initialize");
    return set_config("to continue anyway", settings);
  }
  return start_fresh("and keep the existing files");
}

// The learner's initial state may depend on the parameters, as an average of them does.
Tree<HostTensor> prebuilt_for(const std::vector<std::string>& missing,
                              const Stored& stored,
                              const Types& there,
                              Match match) {
  Tree<HostTensor> out;
  auto is_learners = [](const std::string& path) { return path.starts_with("learner/"); };
  if (std::ranges::none_of(missing, is_learners)) return out;
  for_each(select(stored, there, match).arrays,
           [&](const std::string& path, const StoredArray& array) {
             if (path.starts_with("model/")) out[path] = array.read();
           });
  return out;
}

bool fills(const std::vector<std::string>& missing, const RestoreConfig& config) {
  return config.missing == OnMissing::initialize && !missing.empty();
}

}  // namespace

Types types_of(const ParamSpecs& state) {
  return map(state, [](const ParamSpec& spec) { return spec.type; });
}

Stored in_own_dtypes(const Stored& stored,
                     const Tree<ArrayType>& wanted,
                     const RestoreConfig& config) {
  if (!config.params_dtype) return stored;
  Stored out = stored;
  out.arrays = map(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    const Tree<ArrayType>* own = wanted.find(path);
    const bool is_param = path.starts_with("model/") && own != nullptr && own->is_leaf();
    const bool is_cast = is_param && array.type().dtype == *config.params_dtype &&
                         can_float_cast(own->value().dtype);
    return is_cast ? cast(array, own->value().dtype) : array;
  });
  return out;
}

// Another number of layers changes every array, so list a few, preferably parameters.
std::string short_list(std::vector<std::string> lines) {
  constexpr std::size_t kMaxLines = 6;
  std::stable_partition(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find(" model/") != std::string::npos;
  });
  if (lines.size() > kMaxLines) {
    const std::size_t num_more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back(str("and ", num_more, " more lines"));
  }
  return join(lines, "\n  ");
}

void check_arrays_suit(const Stored& saved,
                       const StateLayout& layout,
                       const RestoreConfig& config,
                       const std::vector<ConfigChange>& changes) {
  const Types wanted = types_of(layout.specs);
  const Stored stored = in_own_dtypes(saved, wanted, config);
  const std::vector<std::string> missing = missing_paths(stored, wanted);
  const std::vector<std::string> lines = differing_lines(
      types_of(stored), fills(missing, config) ? without(wanted, missing) : wanted, config.match);
  const bool lacks_all = lacks_all_parameters(wanted, missing);
  if (lines.empty() && !lacks_all) return;
  const std::string there = str("the checkpoint of step ", stored.step);
  if (lacks_all) {
    fail_with_remedy(ErrorCode::no_checkpoint, start_fresh("and keep the existing files"),
                     reason_of(changes, stored.step), there,
                     " (-) has no parameter of this run's model (+):\n  ", short_list(lines));
  }
  fail_with_remedy(ErrorCode::invalid_argument, remedy(stored, wanted, missing, config),
                   reason_of(changes, stored.step), there,
                   " (-) does not match this run's model or optimizer (+):\n  ", short_list(lines));
}

Tree<StoredArray> arrays_to_restore(
    const Stored& saved,
    const StateLayout& layout,
    const RestoreConfig& config,
    const std::function<State(const Tree<HostTensor>& prebuilt)>& initial) {
  check_arrays_suit(saved, layout, config);
  const Types wanted = types_of(layout.specs);
  const Stored stored = in_own_dtypes(saved, wanted, config);
  const std::vector<std::string> missing = missing_paths(stored, wanted);
  if (!fills(missing, config)) return select(stored, wanted, config.match).arrays;
  log_info("not in the checkpoint of step ", stored.step,
           ", so initialised as in a new run: ", join(missing, ", "));
  const State state =
      initial(prebuilt_for(missing, stored, without(wanted, missing), config.match));
  Tree<StoredArray> values;
  for (const std::string& path : missing)
    values[path] = checkpoint::stored_value(state.at(path).value().to_host());
  std::vector<std::string> ignored;
  return select(stored, wanted, config.match, values, ignored).arrays;
}

}  // namespace meshwright::train
