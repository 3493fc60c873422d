// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::systems {

/// Returns all systems that Meshwright supports. To add one, extend the list in all_systems.cc.
const train::ForeignSystems& all_systems();
/// Returns the names of all systems, in the same order.
std::vector<std::string> system_names();
/// Returns the system with this name. Throws invalid_argument, listing the known names, if there is
/// no such system.
const train::ForeignSystem& system_named(std::string_view name);

}  // namespace meshwright::systems
