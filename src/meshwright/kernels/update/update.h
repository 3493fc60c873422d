// SPDX-License-Identifier: Apache-2.0
// Element-wise optimizer updates: a list of steps per parameter. One CPU kernel applies them to all
// parameters in one pass over memory.
#pragma once

#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// One step that transforms an update u of a parameter p.
struct UpdateStep {
  // The order is part of the handler's ABI.
  enum class Kind {
    scale,          // u * factor
    scale_or_drop,  // u * factor; 0 if the factor is 0, even if u is not finite
    add_param,      // u + factor * p
    adam,           // (average of u) / sqrt(average of u^2), both moving averages
    lion,           // sign of a moving average
    momentum,       // u + b1 * sum, which also becomes the new sum
    average,        // moving average of u
  };
  Kind kind = Kind::scale;
  /// Depends on the kind; see the functions below.
  std::vector<graph::Value> operands = {};
  double b1 = 0, b2 = 0, eps = 0, eps_root = 0;
  bool nesterov = false;
};

/// `factor` is a scalar, or an array with the rank of u and size 1 in broadcast dimensions.
UpdateStep scale_step(graph::Value factor);
UpdateStep scale_or_drop_step(graph::Value factor);
/// `factor` is a scalar.
UpdateStep add_param_step(graph::Value factor);

struct AdamNumbers {
  double b1, b2, eps, eps_root;
  bool nesterov;
  /// Bias corrections: scalars that divide the average of u, the average of u one update later (for
  /// Nesterov), and the average of u^2.
  graph::Value correction, next_correction, square_correction;
};
/// Slots: the averages of u and u^2.
UpdateStep adam_step(const AdamNumbers& numbers);
/// The sign of an average with decay b1. Slot: the average with decay b2.
UpdateStep lion_step(double b1, double b2);
/// Slot: the sum.
UpdateStep momentum_step(double decay, bool nesterov);
/// `decay` and `correction` are scalars. Divides the average by `correction`, which may be null.
/// Slot: the average.
UpdateStep average_step(graph::Value decay, graph::Value correction);
UpdateStep average_step(double decay, graph::Value correction);

/// Returns the decay rounded to the dtype of its slot, as JAX's weak typing does: 0.9 becomes
/// 0.8984375 for bf16. A decay that would round to 1 is not rounded.
double decay_of_slot(double decay, DType slot);

/// Returns the number of slots of a step.
int num_slots(UpdateStep::Kind kind);

/// A parameter to update.
struct ArrayUpdate {
  graph::Value param;
  graph::Value gradient;  // computed in f32 (f64 for f64)
  std::vector<UpdateStep> steps;
  std::vector<graph::Value> slots;  // slots of all steps, in order
  /// A boolean scalar. If false, the array stays unchanged. Null means true.
  graph::Value condition = {};
  /// A moving average of the parameter, with weight 1 - decay for the new value. Null if there is
  /// none.
  graph::Value average = {}, average_decay = {};
};
struct UpdatedArray {
  graph::Value param;
  std::vector<graph::Value> slots;
  graph::Value average;
};

/// Adds the transformed gradients to the parameters. One kernel call updates all arrays that it
/// supports, in place if they are arguments of the program. It supports f32 and bf16 arrays with
/// f32 scalars, at most one step with slots, and a few array factors, which must precede that step
/// and add_param. The other arrays are updated by the formula.
std::vector<UpdatedArray> update_arrays(const std::vector<ArrayUpdate>& arrays,
                                        SourceLoc loc = SourceLoc::current());

/// Returns the gradient after all steps, in plain ops. Replaces `slots` with their new values.
graph::Value stepped(const std::vector<UpdateStep>& steps,
                     graph::Value gradient,
                     graph::Value param,
                     std::vector<graph::Value>& slots);

/// Returns decay * average + (1 - decay) * param in the dtype of the average.
graph::Value moved_average(graph::Value average, graph::Value param, graph::Value decay);

/// Updates all arrays at once; see update_op.h.
extern const graph::OpDef kUpdate;

}  // namespace meshwright::kernels
