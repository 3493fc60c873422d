// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/pjrt/kernel.h"

namespace meshwright::graph::random {

extern const pjrt::Kernel kThreefryHashHandler, kThreefryBitsHandler;

}  // namespace meshwright::graph::random
