// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/transform.h"

#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {
namespace {

struct Link {
  std::string name;  // unique in the chain
  Transform transform;
};

std::vector<Link> named_links(std::vector<Transform> parts) {
  std::map<std::string, int> seen;
  std::vector<Link> out;
  for (Transform& part : parts) {
    int number = ++seen[part.name];
    std::string name = number == 1 ? part.name : str(part.name, "_", number);
    out.push_back({std::move(name), std::move(part)});
  }
  return out;
}

// Adds a subtree unless it has no leaves, so that the state has no empty nodes.
template <typename T>
void put(Tree<T>& all, const std::string& name, Tree<T> part) {
  if (part.num_leaves() > 0) all[name] = std::move(part);
}

}  // namespace

Value UpdateContext::update_number() const {
  return graph::cast(count, f32) + 1.0;
}

SlotSpecs slot_specs(const Transform& transform, const ParamSpecs& params) {
  return transform.slots ? transform.slots(params) : SlotSpecs();
}

ValueTree initial_slots(const Transform& transform,
                        const ParamSpecs& specs,
                        const ValueTree& params) {
  if (transform.init) return transform.init(specs, params);
  return map(slot_specs(transform, specs), [](const ParamSpec& slot) {
    return graph::zeros(graph::Type(slot.type.dtype, slot.type.dims));
  });
}

void run(const Transform& transform,
         const UpdateContext& context,
         PendingUpdates& updates,
         const std::string& at) {
  if (transform.steps) return transform.steps(context, updates, at);
  ValueTree slots = updates.slots(at);
  ValueTree out = transform.update(context, updates.materialize(context.specs), slots);
  for_each(out, [&](const std::string& path, const Value& update) { updates.set(path, update); });
  updates.set_slots(at, slots);
}

Transform chain(std::vector<Transform> parts, std::string name) {
  std::vector<Link> links = named_links(std::move(parts));
  auto slots = [links](const ParamSpecs& params) {
    SlotSpecs out;
    for (const Link& link : links)
      put(out, link.name, slot_specs(link.transform, params));
    return out;
  };
  auto init = [links](const ParamSpecs& specs, const ValueTree& params) {
    ValueTree out;
    for (const Link& link : links)
      put(out, link.name, initial_slots(link.transform, specs, params));
    return out;
  };
  auto steps = [links](const UpdateContext& context, PendingUpdates& updates,
                       const std::string& at) {
    for (const Link& link : links)
      run(link.transform, context, updates, join_tree_path(at, link.name));
  };
  return {.name = std::move(name), .slots = slots, .init = init, .steps = steps};
}

Transform identity() {
  return {.name = "identity",
          .steps = [](const UpdateContext&, PendingUpdates&, const std::string&) {}};
}

}  // namespace meshwright::optim
