// SPDX-License-Identifier: Apache-2.0
// Everything known about one kind of operation. To add one, see node.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/graph/core/node.h"

namespace meshwright::pjrt {
struct Kernel;
}

namespace meshwright::graph {

class VjpContext;
class Writer;
struct KernelTarget;

/// Checks the operands and attributes of a new node and returns the types of its results. Throws by
/// reject(). Need not set Type::varying.
using InferFn = std::vector<Type> (*)(const Node& node);
/// Writes the node as StableHLO.
using WriteFn = void (*)(Writer& writer, const Node& node);
/// Adds the gradients of the operands, given the gradients of the results.
using VjpFn = void (*)(VjpContext& context);
/// For a vjp that needs more than operands and results: emits a variant of the node that also
/// computes the rest. Returns the original results, then the values to keep (VjpContext::kept).
using AugmentFn = std::vector<Value> (*)(VjpContext& context);
/// Returns the mesh axes over which each result varies.
using VaryingFn = std::vector<mesh::AxisSet> (*)(const Node& node);
/// Returns the mesh axes along which a collective communicates: all devices along them must run it.
using CommunicatesFn = mesh::AxisSet (*)(const Node& node);

/// A result that reuses the memory of an operand of the same type.
struct OutputAlias {
  int result = 0;
  int operand = 0;
};

/// Names for the dimensions of a kernel's operands and results, "batch len heads" for each array.
/// The activation rules give each name its mesh axes, so dimensions of one name are split alike.
/// Axes in `whole` and axes that a result lacks cannot be split, since one call needs all of them.
struct KernelAxes {
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::vector<std::string> whole = {};
  /// Axes that may be split although results lack them: such a result is a sum over the axis, and
  /// the shards' sums are reduced.
  std::vector<std::string> summed = {};
  /// Operands that are arguments of the program, such as parameters. If there are any, their
  /// shardings alone decide the split, and the rules do not count. Each has names of its own, which
  /// it shares only with its results.
  std::vector<int> as_arguments = {};
  /// True if a shard would have to know its position: several devices use the reference, without a
  /// warning.
  bool on_one_device = false;
};

/// Computes the results of a kernel by plain ops: for platforms without the kernel, for splits that
/// KernelAxes forbids, and for gradients of gradients.
using ReferenceFn = std::vector<Value> (*)(const Node& node, std::span<const Value> operands);
using KernelAxesFn = KernelAxes (*)(const Node& node);
/// Why this op should be computed by its formula although its kernel could run: its types, sizes or
/// the processor. Empty if the kernel suits. `op` is a candidate: a node that is not in a graph,
/// with the operands and attributes of the call and without result types. See decide_kernel.
using ObstacleFn = std::string (*)(const Node& op, const KernelTarget& target);
using AliasesFn = std::vector<OutputAlias> (*)(const Node& node);
/// Emits a variant of the node that computes its only result plus `addend`, a value of the same
/// type. Returns a null value if there is no such variant.
using PlusFn = Value (*)(const Node& node, Value addend);

/// The gradient of an op that is constant almost everywhere or has integer results: zero.
void zero_gradient(VjpContext& context);
/// For ops whose gradient is not implemented: differentiating through them is an error.
void no_gradient(VjpContext& context);
inline constexpr VjpFn kZeroGradient = zero_gradient;
inline constexpr VjpFn kNoGradient = no_gradient;
/// Differentiates the reference of a kernel; the backward pass recomputes intermediate values. For
/// kernels that are themselves gradients.
void reference_gradient(VjpContext& context);
inline constexpr VjpFn kReferenceGradient = reference_gradient;

struct OpDef {
  std::string_view name;       // in messages
  std::string_view mlir = {};  // the op of StableHLO; used if `write` is absent
  InferFn infer = nullptr;
  WriteFn write = nullptr;  // absent: `mlir` with the operands and no attributes
  VjpFn vjp = nullptr;
  AugmentFn augment = nullptr;  // ops with regions, and a few others
  VaryingFn varying = nullptr;  // absent: results vary over the union of the operands' axes
  CommunicatesFn communicates = nullptr;  // collectives
  bool cheap = false;            // recomputed in bodies and in the backward pass, never kept
  bool has_side_effect = false;  // kept even if its results are unused

  // Kernels: ops that call a function of Meshwright, see decide_kernel. `infer` is called for whole
  // arrays and for shards, with the same attributes.
  const pjrt::Kernel* handler = nullptr;  // registered before a program with the op is compiled
  ReferenceFn reference = nullptr;
  ObstacleFn obstacle = nullptr;  // absent: the kernel suits all operands that `infer` accepts
  KernelAxesFn axes = nullptr;    // absent: the partitioner gives every device the whole arrays
  AliasesFn aliases = nullptr;    // absent: all results have memory of their own
  PlusFn plus = nullptr;          // absent: sums are ops of their own
};

/// Throws invalid_argument with the message "<op>: <parts>"; the tracer adds the origin.
template <typename... Parts>
[[noreturn]] void reject(const Node& node, const Parts&... parts) {
  fail(ErrorCode::invalid_argument, node.op->name, ": ", parts...);
}

}  // namespace meshwright::graph
