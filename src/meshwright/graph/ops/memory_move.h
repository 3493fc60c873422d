// SPDX-License-Identifier: Apache-2.0
// Moves between the memory of a device and that of its host, for arrays that wait there.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// Result: the operand, in the other memory.
extern const OpDef kToHost, kToDevice;

inline constexpr std::array kMemoryMoveOps = {&kToHost, &kToDevice};

/// Returns x in pinned memory of the host. Only to_device() and results of the program whose
/// ResultInfo says so may use it.
Value to_host(Value x, SourceLoc loc = SourceLoc::current());
/// Returns x, a result of to_host() or an argument in pinned memory of the host, on the device.
Value to_device(Value x, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
