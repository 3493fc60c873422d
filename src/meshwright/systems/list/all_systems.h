// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::systems {

/// All systems that Meshwright knows. A new one is one line in the source file.
const train::ForeignSystems& all_systems();
/// Their names, in the same order.
std::vector<std::string> system_names();
/// Throws invalid_argument, with the known names, if no system has this name.
const train::ForeignSystem& system_named(std::string_view name);

}  // namespace meshwright::systems
