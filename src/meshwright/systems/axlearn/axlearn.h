// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/train/foreign/foreign_system.h"

namespace meshwright::systems {

const train::ForeignSystem& axlearn();

}  // namespace meshwright::systems
