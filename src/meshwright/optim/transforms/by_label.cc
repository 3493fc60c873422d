// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/by_label.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/optim/transforms/partition.h"

namespace meshwright::optim {
namespace {

using Labelled = std::vector<std::pair<std::string, Transform>>;

// Returns the parameters of each transform, in the order of the transforms.
std::vector<ParamSpecs> parts_of(const Label& label,
                                 const Labelled& transforms,
                                 const ParamSpecs& params) {
  std::vector<ParamSpecs> out(transforms.size());
  for_each(params, [&](const std::string& path, const ParamSpec& spec) {
    std::string wanted = label(path, spec);
    auto found = std::find_if(transforms.begin(), transforms.end(),
                              [&](const auto& entry) { return entry.first == wanted; });
    MW_CHECK(found != transforms.end(), "by_label: '", path, "' is labelled '", wanted,
             "', but no transform has this label");
    out[static_cast<std::size_t>(found - transforms.begin())][path] = spec;
  });
  return out;
}

void run_part(const std::pair<std::string, Transform>& entry,
              const ParamSpecs& specs,
              const UpdateContext& context,
              PendingUpdates& updates,
              const std::string& at) {
  ValueTree params = leaves_with_names_of(context.params, specs);
  Summaries own;
  UpdateContext inner{context.count, specs, params, own};
  run(entry.second, inner, updates, join_tree_path(at, entry.first));
  for (const auto& [what, value] : own)
    context.summaries[entry.first + "/" + what] = value;
}

}  // namespace

Transform by_label(Label label, Labelled transforms, std::string name) {
  auto slots = [=](const ParamSpecs& params) {
    std::vector<ParamSpecs> parts = parts_of(label, transforms, params);
    SlotSpecs out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      SlotSpecs own = slot_specs(transforms[i].second, parts[i]);
      if (own.num_leaves() > 0) out[transforms[i].first] = std::move(own);
    }
    return out;
  };
  auto init = [=](const ParamSpecs& specs, const ValueTree& params) {
    std::vector<ParamSpecs> parts = parts_of(label, transforms, specs);
    ValueTree out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ValueTree own =
          initial_slots(transforms[i].second, parts[i], leaves_with_names_of(params, parts[i]));
      if (own.num_leaves() > 0) out[transforms[i].first] = std::move(own);
    }
    return out;
  };
  auto steps = [label = std::move(label), transforms = std::move(transforms)](
                   const UpdateContext& context, PendingUpdates& updates, const std::string& at) {
    std::vector<ParamSpecs> parts = parts_of(label, transforms, context.specs);
    for (std::size_t i = 0; i < parts.size(); ++i)
      run_part(transforms[i], parts[i], context, updates, at);
  };
  return {.name = std::move(name), .slots = slots, .init = init, .steps = steps};
}

}  // namespace meshwright::optim
