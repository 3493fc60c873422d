// SPDX-License-Identifier: Apache-2.0
// Walking over parameters, their updates and slots together; norms over them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// One parameter while its update is made.
struct ParamUpdate {
  std::string path;
  const ParamSpec& spec;
  Value update;  // so far, in the dtype of the computation
};

/// The new updates f(item).
ValueTree map_updates(const UpdateContext& context,
                      const ValueTree& updates,
                      const std::function<Value(const ParamUpdate&)>& f);

/// What updates are computed in: f32, or f64 for a parameter of f64.
DType update_dtype(DType param);

/// Slots as large as the parameters and lying as they do. Absent: the dtype of the update.
SlotSpecs slots_like(const ParamSpecs& params, std::optional<DType> dtype = std::nullopt);
/// The slot for an array made of a parameter by leaving out dimensions, which increase.
ParamSpec without_dims(const ParamSpec& spec, const Dims& dims);

/// Numbers as scalars, one node for each: what many parameters share is handed to them once.
class SharedScalars {
 public:
  /// In the dtype that updates of this parameter are computed in.
  Value operator()(double number, const ParamSpec& spec);
  /// Made once for each number and dtype, by make(dtype).
  Value operator()(double number, const ParamSpec& spec, const std::function<Value(DType)>& make);

 private:
  std::map<std::pair<double, DType>, Value> made_;
};

/// A factor for a step of one parameter: without its sizes of 1 if there is nothing else.
Value as_factor(Value x);

/// The root of the sum of squares of all elements of all arrays.
Value global_norm(const ValueTree& arrays);

/// What counts as one array where an optimizer looks at whole arrays: each of the layers stacked
/// for a scan (AXLearn, T5X), so that scanned and unrolled models learn alike, or all of them
/// together (optax, Big Vision).
enum class Block { layer, whole };
/// The dimensions of one such array.
Dims block_dims(const ParamSpec& spec, Block block);
/// Over these dimensions, with sizes of 1 in their place, so that it multiplies x again.
Value mean_square(Value x, const Dims& over);
Value sum_square(Value x, const Dims& over);
/// The same of the update of a parameter.
Value mean_square(PendingUpdates& updates, const std::string& path, const Dims& over);
Value sum_square(PendingUpdates& updates, const std::string& path, const Dims& over);

}  // namespace meshwright::optim
