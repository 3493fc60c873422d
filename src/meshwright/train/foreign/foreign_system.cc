// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/foreign/foreign_system.h"

#include <algorithm>

namespace meshwright::train {

const ForeignSystem* find_system(const ForeignSystems& systems, std::string_view name) {
  const auto found = std::ranges::find(systems, name, &ForeignSystem::name);
  return found == systems.end() ? nullptr : *found;
}

SystemDefaults defaults_for(const ForeignSystems& systems, const nn::Module& model) {
  for (const ForeignSystem* system : systems) {
    const SystemDefaults defaults = system->defaults(model);
    if (defaults.padding_id) return defaults;
  }
  return {};
}

}  // namespace meshwright::train
