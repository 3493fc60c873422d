// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/kernels/linear/linear.h"

namespace meshwright::kernels {

/// Whether a call has all of each sum, which nothing can be added to otherwise: where sums are
/// split over devices, their parts are added up first.
bool sees_whole_sums(const LinearAxes& axes);

}  // namespace meshwright::kernels
