// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/list/all_systems.h"

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/systems/axlearn/axlearn.h"
#include "meshwright/systems/big_vision/big_vision.h"
#include "meshwright/systems/seqax/seqax.h"
#include "meshwright/systems/t5x/t5x.h"

namespace meshwright::systems {

const train::ForeignSystems& all_systems() {
  static const train::ForeignSystems all = {&axlearn(), &t5x(), &big_vision(), &seqax()};
  return all;
}

std::vector<std::string> system_names() {
  std::vector<std::string> out;
  for (const train::ForeignSystem* system : all_systems())
    out.emplace_back(system->name());
  return out;
}

const train::ForeignSystem& system_named(std::string_view name) {
  const train::ForeignSystem* found = train::find_system(all_systems(), name);
  MW_CHECK(found != nullptr, "there is no system '", name, "', but: ", join(system_names(), ", "),
           did_you_mean(name, system_names()));
  return *found;
}

}  // namespace meshwright::systems
