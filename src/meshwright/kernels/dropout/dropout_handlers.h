// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/pjrt/kernel.h"

namespace meshwright::kernels {

extern const pjrt::Kernel kDropoutHandler;

}  // namespace meshwright::kernels
