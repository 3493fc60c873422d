// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/configured_state.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/cli/job.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/train/foreign/foreign_layouts.h"
#include "meshwright/train/step/state.h"

namespace meshwright::cli {
ConfiguredState configured_state(const RunConfig& config) {
  const data::RunData data = open_data(config, data::DataUse::spec_only);
  const data::SourcePtr source = data::make_source(config.data, data);
  std::unique_ptr<nn::Module> model =
      make_model(with_vocab(config.task, data::num_tokens(config.data, data)), *source);
  const ParamSpecs params = nn::param_specs(*model);
  optim::LearnerOptions learner =
      optim::learner_options(config.optimizer, config.learner, {.is_known = false}, params);
  ParamSpecs arrays = train::state_specs(params, optim::Learner(learner, params));
  return {std::move(model), std::move(learner), std::move(arrays), config.train.seed};
}

checkpoint::ForeignLayout layout_of(const ConfiguredState& state,
                                    const train::ForeignSystem& system) {
  std::vector<std::string> paths;
  for_each(state.arrays, [&](const std::string& path, const ParamSpec&) { paths.push_back(path); });
  return train::layout_of(system, *state.model, paths, state.learner, state.seed);
}

}  // namespace meshwright::cli
