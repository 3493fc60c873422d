// SPDX-License-Identifier: Apache-2.0
// Ops that change nothing but what happens to a gradient.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

extern const OpDef kStopGradient;
/// attrs: std::string, the name; empty if it has none.
extern const OpDef kSave;

inline constexpr std::array kGradientOps = {&kStopGradient, &kSave};

/// x, as a constant in the eyes of differentiation.
Value stop_gradient(Value x, SourceLoc loc = SourceLoc::current());

/// x, marked as worth keeping for the backward pass where a remat policy asks for marked values.
Value save(Value x, std::string_view name = {}, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
