// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the arguments, the captures of the forward function and the captures of the backward
/// function. Regions: forward and backward. attrs: CustomGradientAttrs.
extern const OpDef kCustomGradient;
struct CustomGradientAttrs {
  int num_args = 0;
  int num_results = 0;  // further results of the forward region are kept for the backward region
};

inline constexpr std::array kCustomGradientOps = {&kCustomGradient};

/// The results of a forward function, and the values to keep for its backward function.
struct ForwardResult {
  std::vector<Value> results;
  std::vector<Value> kept;
};
using CustomForward = std::function<ForwardResult(std::span<const Value> args)>;
/// Returns one gradient per argument, of the argument's type. A null Value stands for zeros.
using CustomBackward = std::function<std::vector<Value>(std::span<const Value> kept,
                                                        std::span<const Value> cotangents)>;

/// Returns the results of `forward` and uses `backward` as their gradient. Both may use outer
/// values, but these get no gradient: differentiating with respect to them is an error.
std::vector<Value> custom_gradient(std::span<const Value> args,
                                   const CustomForward& forward,
                                   const CustomBackward& backward,
                                   SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
