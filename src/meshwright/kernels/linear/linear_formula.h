// SPDX-License-Identifier: Apache-2.0
// Linear layers in plain ops, and what their ops have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/kernels/linear/linear.h"

namespace meshwright::kernels {

std::vector<std::string> axis_names(const std::string& axes);
std::int64_t num_axes(const std::string& axes);

/// What is multiplied where a factor of each dtype is.
DType multiplied_dtype(DType a, DType b);

/// What an op has besides its first two operands; null where there is nothing.
struct LinearExtras {
  graph::Value bias, factor, addend;
};
LinearExtras linear_extras(const LinearAttrs& attrs, std::span<const graph::Value> operands);

/// activation(x) factor weight, with what is to be added to it.
graph::Value linear_formula(const LinearAttrs& attrs,
                            graph::Value activated,
                            graph::Value weight,
                            const LinearExtras& extras);

/// What comes of a gradient for the input of a layer; null where there is nothing.
struct InputGradients {
  graph::Value multiplied;  // activation(x) factor, once more
  graph::Value of_x, of_factor;
};
/// Given the gradient of what was multiplied. It waits for that with computing anything: what came
/// of it forward would be kept otherwise.
InputGradients differentiate_activated(Activation activation,
                                       graph::Value x,
                                       graph::Value factor,
                                       graph::Value given);

/// References of the ops.
std::vector<graph::Value> linear_reference(const graph::Node& node,
                                           std::span<const graph::Value> operands);
std::vector<graph::Value> linear_gradient_reference(const graph::Node& node,
                                                    std::span<const graph::Value> operands);
std::vector<graph::Value> activated_gradient_reference(const graph::Node& node,
                                                       std::span<const graph::Value> operands);

}  // namespace meshwright::kernels
