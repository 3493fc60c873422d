// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/pjrt/kernel.h"

namespace meshwright::kernels {

extern const pjrt::Kernel kLinearHandler, kLinearGradientHandler, kActivatedGradientHandler;

}  // namespace meshwright::kernels
