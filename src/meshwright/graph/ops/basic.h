// SPDX-License-Identifier: Apache-2.0
// The ops that tracing itself needs: arguments, constants, `vary`, broadcast of a scalar.
#pragma once

#include <array>
#include <span>
#include <variant>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::graph {

/// An argument of a program or body; attrs: its position as int. Never written as a node.
extern const OpDef kArgument;

/// attrs: ConstantAttrs.
extern const OpDef kConstant;
/// A value known while tracing: one number for all elements, or a whole array.
using ConstantAttrs = std::variant<double, std::int64_t, HostTensor>;

/// attrs: mesh::AxisSet, the axes over which the result counts as varying.
extern const OpDef kVary;

struct BroadcastAttrs {
  Dims dims;   // of the result
  Dims where;  // for each operand dimension, the result dimension it becomes
};
/// attrs: BroadcastAttrs.
extern const OpDef kBroadcastInDim;

inline constexpr std::array kBasicOps = {&kArgument, &kConstant, &kVary, &kBroadcastInDim};

/// An array of `dims` whose elements are all `number`.
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
/// The array itself becomes part of the program; meant for small tables.
Value constant(const HostTensor& tensor, SourceLoc loc = SourceLoc::current());

/// Zeros of a type, varying as it does; the start of a sum of gradients.
Value zeros(const Type& type, SourceLoc loc = SourceLoc::current());

/// In a manual region: the same value, counted as different over `axes` as well. Its gradient is
/// summed over the axes that are new.
Value vary(Value x, mesh::AxisSet axes, SourceLoc loc = SourceLoc::current());

/// stablehlo: broadcast_in_dim. Operand dimension i becomes dimension `where[i]` of `dims`; sizes
/// must be equal or 1.
Value broadcast_in_dim(Value x, Dims dims, Dims where, SourceLoc loc = SourceLoc::current());
/// NumPy's rule: missing dimensions are added in front, sizes of 1 are repeated.
Value broadcast_to(Value x, const Dims& dims, SourceLoc loc = SourceLoc::current());
/// The shape that NumPy's rule gives for these arrays; throws invalid_argument naming `op` if none.
Dims broadcast_dims(const OpDef& op, std::span<const Value> values, SourceLoc loc);

}  // namespace meshwright::graph
