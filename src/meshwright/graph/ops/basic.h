// SPDX-License-Identifier: Apache-2.0
// The ops that tracing itself needs: arguments, constants, `vary` and broadcasting.
#pragma once

#include <array>
#include <span>
#include <variant>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::graph {

/// An argument of a program or body. attrs: its position as int. Writes no text.
extern const OpDef kArgument;

/// attrs: ConstantAttrs.
extern const OpDef kConstant;
/// A value known while tracing: one number for all elements, or a whole array.
using ConstantAttrs = std::variant<double, std::int64_t, HostTensor>;

/// attrs: mesh::AxisSet, the mesh axes added to those over which the operand varies.
extern const OpDef kVary;

struct BroadcastAttrs {
  Dims dims;   // of the result
  Dims where;  // the position of each operand dimension in the result
};
/// attrs: BroadcastAttrs.
extern const OpDef kBroadcastInDim;

inline constexpr std::array kBasicOps = {&kArgument, &kConstant, &kVary, &kBroadcastInDim};

/// Returns an array of shape `dims` filled with `number`.
Value constant(double number, DType dtype, Dims dims = {}, SourceLoc loc = SourceLoc::current());
Value constant(std::int64_t number,
               DType dtype,
               Dims dims = {},
               SourceLoc loc = SourceLoc::current());
inline Value constant(int number,
                      DType dtype,
                      Dims dims = {},
                      SourceLoc loc = SourceLoc::current()) {
  return constant(std::int64_t{number}, dtype, std::move(dims), loc);
}
/// Embeds the array in the program; meant for small tables.
Value constant(const HostTensor& tensor, SourceLoc loc = SourceLoc::current());

/// Returns zeros of this type that vary over the same mesh axes: the initial value of a sum of
/// gradients.
Value zeros(const Type& type, SourceLoc loc = SourceLoc::current());

/// Returns x, additionally marked as varying over `axes`. For manual regions. The gradient is
/// summed over the added axes.
Value vary(Value x, mesh::AxisSet axes, SourceLoc loc = SourceLoc::current());

/// stablehlo: broadcast_in_dim. Dimension i of x becomes dimension `where[i]` of the result; its
/// size must be 1 or equal the result's. `where` must be increasing.
Value broadcast_in_dim(Value x, Dims dims, Dims where, SourceLoc loc = SourceLoc::current());
/// Broadcasts according to NumPy's rule: adds missing leading dimensions and repeats dimensions of
/// size 1.
Value broadcast_to(Value x, const Dims& dims, SourceLoc loc = SourceLoc::current());
/// Returns the common shape of these arrays under NumPy's broadcasting rule. Throws
/// invalid_argument, naming `op`, if they are incompatible.
Dims broadcast_dims(const OpDef& op, std::span<const Value> values, SourceLoc loc);

}  // namespace meshwright::graph
