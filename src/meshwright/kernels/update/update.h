// SPDX-License-Identifier: Apache-2.0
// What optimizers do with each element of a parameter, of its gradient and of its slots: a list of
// steps, which on CPUs one call does for all parameters in one pass over memory.
#pragma once

#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::kernels {

/// One step with an update u, of a parameter p.
struct UpdateStep {
  // The order is part of the handler's ABI.
  enum class Kind {
    scale,          // u factor
    scale_or_drop,  // u factor; 0, whatever u is, where the factor is 0
    add_param,      // u + factor p
    adam,           // the average of u over the root of that of its squares
    lion,           // the sign of an average
    momentum,       // u + b1 sum, where the sum goes on as that
    average,        // an average
  };
  Kind kind = Kind::scale;
  /// What belongs to the kind, see the functions below.
  std::vector<graph::Value> operands = {};
  double b1 = 0, b2 = 0, eps = 0, eps_root = 0;
  bool nesterov = false;
};

/// factor: a scalar, or of the rank of u, with sizes of 1 where it is the same for all.
UpdateStep scale_step(graph::Value factor);
UpdateStep scale_or_drop_step(graph::Value factor);
/// factor: a scalar.
UpdateStep add_param_step(graph::Value factor);

struct AdamNumbers {
  double b1, b2, eps, eps_root;
  bool nesterov;
  /// What averages that began with zeros are divided by, scalars: of u; of u one update later, for
  /// nesterov; of its square.
  graph::Value correction, next_correction, square_correction;
};
/// Slots: the averages of u and of its square.
UpdateStep adam_step(const AdamNumbers& numbers);
/// Slot: the average by b2; the sign is that of the one by b1.
UpdateStep lion_step(double b1, double b2);
/// Slot: the sum.
UpdateStep momentum_step(double decay, bool nesterov);
/// Scalars; the average is divided by `correction`, which may be null. Slot: the average.
UpdateStep average_step(graph::Value decay, graph::Value correction);
UpdateStep average_step(double decay, graph::Value correction);

/// What a slot of this dtype is multiplied by. As in JAX, where a number takes the dtype of the
/// array it meets, 0.9 is 0.8984375 for a slot of bf16; only what would become 1 stays as it is.
double decay_of_slot(double decay, DType slot);

/// The number of slots of a step.
int num_slots(UpdateStep::Kind kind);

/// An array that an update changes.
struct ArrayUpdate {
  graph::Value param;
  graph::Value gradient;  // computed with in f32, or in f64 if it is f64
  std::vector<UpdateStep> steps;
  std::vector<graph::Value> slots;  // of all steps, in their order
  /// Whether it is changed at all, a boolean scalar; null: it is.
  graph::Value condition = {};
  /// A moving average of the parameter, whose newest value counts 1 - decay; null: none is kept.
  graph::Value average = {}, average_decay = {};
};
struct UpdatedArray {
  graph::Value param;
  std::vector<graph::Value> slots;
  graph::Value average;
};

/// Adds what the steps make of the gradients to the parameters. On CPUs one call does what it can,
/// in place where arrays are arguments of the program: arrays of f32 and bf16 with numbers in f32,
/// at most one step that has slots, and factors that are arrays, of which there are few, before it
/// and before parameters are added. The rest is plain ops.
std::vector<UpdatedArray> update_arrays(const std::vector<ArrayUpdate>& arrays,
                                        SourceLoc loc = SourceLoc::current());

/// The gradient, in the dtype it is computed with, after all steps, by plain ops; `slots` become
/// the new ones.
graph::Value stepped(const std::vector<UpdateStep>& steps,
                     graph::Value gradient,
                     graph::Value param,
                     std::vector<graph::Value>& slots);

/// decay average + (1 - decay) param, in the dtype of the average.
graph::Value moved_average(graph::Value average, graph::Value param, graph::Value decay);

/// All arrays at once: see update_op.h.
extern const graph::OpDef kUpdate;

}  // namespace meshwright::kernels
