// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/foreign/foreign_layouts.h"

#include "meshwright/base/str.h"
#include "meshwright/base/threefry.h"

namespace meshwright::train {
namespace {

// Adds the values that Meshwright's state has and a foreign system need not store.
void add_implied(const std::string& path, std::int64_t seed, checkpoint::ForeignLayout& out) {
  if (path == "learner/count") {
    out.implied[path] = [](std::int64_t step) {
      return HostTensor::scalar(static_cast<std::int32_t>(step));
    };
  } else if (path == "num_skipped") {
    out.implied[path] = [](std::int64_t) { return HostTensor::scalar<std::int32_t>(0); };
  } else if (path == "prng_key") {
    const threefry::KeyWords key = threefry::key(seed);
    out.implied[path] = [key](std::int64_t) {
      return HostTensor::from<std::uint32_t>({key[0], key[1]}, {2});
    };
  }
}

}  // namespace

checkpoint::ForeignLayout layout_of(const ForeignSystem& system,
                                    const nn::Module& model,
                                    const std::vector<std::string>& paths,
                                    const optim::LearnerOptions& learner,
                                    std::int64_t seed) {
  const ForeignArrays params = system.params(model);
  if (params.empty()) return {};
  const StateToName state{.model = model, .params = params, .paths = paths, .learner = learner};
  checkpoint::ForeignLayout out{.arrays = system.state(state), .more = system.more_arrays(state)};
  for (const std::string& path : paths)
    add_implied(path, seed, out);
  return out;
}

checkpoint::FindForeignLayout layouts_of(const ForeignSystems& systems,
                                         const Task& task,
                                         const optim::LearnerOptions& learner,
                                         std::int64_t seed) {
  return [systems, model = task.find_model(), learner, seed](
             std::string_view format, const std::vector<std::string>& paths) {
    const ForeignSystem* system = find_system(systems, format);
    if (system == nullptr || model == nullptr) return checkpoint::ForeignLayout();
    return layout_of(*system, *model, paths, learner, seed);
  };
}

std::function<checkpoint::ForeignLayout(std::string_view format)> layouts_of(
    const ForeignSystems& systems,
    const Task& task,
    const optim::LearnerOptions& learner,
    std::int64_t seed,
    const ParamSpecs& state) {
  std::vector<std::string> paths;
  for_each(state, [&](const std::string& path, const ParamSpec&) { paths.push_back(path); });
  return [find = layouts_of(systems, task, learner, seed), paths](std::string_view format) {
    return find(format, paths);
  };
}

std::string layout_warning(const ForeignSystems& systems,
                           const Task& task,
                           std::string_view format) {
  const ForeignSystem* system = find_system(systems, format);
  const nn::Module* model = task.find_model();
  if (system == nullptr || (model != nullptr && !system->params(*model).empty())) return "";
  return str("checkpoint.format = ", format, ": ", format,
             " has no model like this one, so checkpoints keep Meshwright's names and ", format,
             " cannot continue from them");
}

}  // namespace meshwright::train
