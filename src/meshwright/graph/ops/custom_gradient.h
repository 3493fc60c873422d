// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the arguments, the captures of the forward function, those of the backward function.
/// Regions: forward, backward. attrs: CustomGradientAttrs.
extern const OpDef kCustomGradient;
struct CustomGradientAttrs {
  int num_args = 0;
  int num_results = 0;  // the rest of the forward function's results is kept for the backward one
};

inline constexpr std::array kCustomGradientOps = {&kCustomGradient};

/// The results of a forward function and the values kept for its backward function.
struct ForwardResult {
  std::vector<Value> results;
  std::vector<Value> kept;
};
using CustomForward = std::function<ForwardResult(std::span<const Value> args)>;
/// Gives one gradient per argument, of its type; an empty Value stands for zeros.
using CustomBackward = std::function<std::vector<Value>(std::span<const Value> kept,
                                                        std::span<const Value> cotangents)>;

/// The results of `forward`, with `backward` as their gradient. Both may use values from outside,
/// but these get no gradient: it is an error to differentiate by them.
std::vector<Value> custom_gradient(std::span<const Value> args,
                                   const CustomForward& forward,
                                   const CustomBackward& backward,
                                   SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
