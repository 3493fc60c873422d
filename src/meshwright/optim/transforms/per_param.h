// SPDX-License-Identifier: Apache-2.0
// Helpers for transforms: iteration over parameters and their updates, slots, and norms.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// One parameter and its update.
struct ParamUpdate {
  std::string path;
  const ParamSpec& spec;
  Value update;  // in update_dtype()
};

/// Returns f(item) for every parameter.
ValueTree map_updates(const UpdateContext& context,
                      const ValueTree& updates,
                      const std::function<Value(const ParamUpdate&)>& f);

/// Returns the dtype in which updates are computed: f32, or f64 for f64 parameters.
DType update_dtype(DType param);

/// Returns slots with the shape and axes of the parameters. Without `dtype`, they have the dtype of
/// the update.
SlotSpecs slots_like(const ParamSpecs& params, std::optional<DType> dtype = std::nullopt);
/// Returns a slot like the parameter but without the dimensions `dims`, which must be in increasing
/// order.
ParamSpec without_dims(const ParamSpec& spec, const Dims& dims);

/// Caches scalars, so that all parameters share one graph node for each number and dtype.
class SharedScalars {
 public:
  /// Returns a constant in the dtype of this parameter's update.
  Value operator()(double number, const ParamSpec& spec);
  /// Returns make(dtype), which is called once for each number and dtype.
  Value operator()(double number, const ParamSpec& spec, const std::function<Value(DType)>& make);

 private:
  std::map<std::pair<double, DType>, Value> made_;
};

/// Reshapes an array with one element to a scalar, as required for the factor of a step.
Value as_factor(Value x);

/// Returns the square root of the sum of squares over all arrays.
Value global_norm(const ValueTree& arrays);

/// The unit over which an optimizer takes norms: each layer of a stack (AXLearn, T5X), so that
/// scanned and unrolled models train identically, or the whole stack (optax, Big Vision).
enum class Block { layer, whole };
/// Returns the dimensions of one such unit.
Dims block_dims(const ParamSpec& spec, Block block);
/// Reduces over the given dimensions, which keep size 1 in the result.
Value mean_square(Value x, const Dims& over);
Value sum_square(Value x, const Dims& over);
/// Like the above, but for the pending update of a parameter.
Value mean_square(PendingUpdates& updates, const std::string& path, const Dims& over);
Value sum_square(PendingUpdates& updates, const std::string& path, const Dims& over);

}  // namespace meshwright::optim
