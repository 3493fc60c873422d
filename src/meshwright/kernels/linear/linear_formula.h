// SPDX-License-Identifier: Apache-2.0
// Formulas for linear layers, and helpers shared by their ops.
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

/// Returns the dtype in which operands of these dtypes are multiplied.
DType multiplied_dtype(DType a, DType b);

/// The optional operands of an op; null if absent.
struct LinearExtras {
  graph::Value bias, factor, addend;
};
LinearExtras linear_extras(const LinearAttrs& attrs, std::span<const graph::Value> operands);

/// Returns activated * weight + bias + addend.
graph::Value linear_formula(const LinearAttrs& attrs,
                            graph::Value activated,
                            graph::Value weight,
                            const LinearExtras& extras);

/// Gradients of a layer's inputs; null if absent.
struct InputGradients {
  graph::Value multiplied;  // recomputed activation(x) * factor
  graph::Value d_x, d_factor;
};
/// Returns the gradients of x and factor. `given`: the gradient of activation(x) * factor. A
/// barrier makes the recomputation wait for the gradient; otherwise XLA would keep the forward
/// values.
InputGradients differentiate_activated(Activation activation,
                                       graph::Value x,
                                       graph::Value factor,
                                       graph::Value given);

/// The OpDef::reference functions of kLinear, kLinearGradient and kActivatedGradient.
std::vector<graph::Value> linear_reference(const graph::Node& node,
                                           std::span<const graph::Value> operands);
std::vector<graph::Value> linear_gradient_reference(const graph::Node& node,
                                                    std::span<const graph::Value> operands);
std::vector<graph::Value> activated_gradient_reference(const graph::Node& node,
                                                       std::span<const graph::Value> operands);

}  // namespace meshwright::kernels
