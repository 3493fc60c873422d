// SPDX-License-Identifier: Apache-2.0
// Ops that return their operand unchanged and affect only differentiation.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

extern const OpDef kStopGradient;
/// attrs: std::string, the name; may be empty.
extern const OpDef kSave;

inline constexpr std::array kGradientOps = {&kStopGradient, &kSave};

/// Returns x, treated as a constant by differentiation.
Value stop_gradient(Value x, SourceLoc loc = SourceLoc::current());

/// Returns x, marked for policies that keep marked values for the backward pass (keep_saved).
Value save(Value x, std::string_view name = {}, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
