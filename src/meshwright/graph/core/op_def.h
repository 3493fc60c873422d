// SPDX-License-Identifier: Apache-2.0
// Everything there is to know about one operation, in one place.
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

/// Checks operands and attributes of a node that is about to be added and returns the types of its
/// results. Throws by reject(); need not set Type::varying.
using InferFn = std::vector<Type> (*)(const Node& node);
/// Writes the node as StableHLO.
using WriteFn = void (*)(Writer& writer, const Node& node);
/// Adds the gradients of the operands, given those of the results.
using VjpFn = void (*)(VjpContext& context);
/// Where vjp needs more than operands and results: emits the node once more in a form that gives
/// it, and returns the results of the original followed by the values to keep (VjpContext::kept).
using AugmentFn = std::vector<Value> (*)(VjpContext& context);
/// The mesh axes over which the results of a collective vary.
using VaryingFn = std::vector<mesh::AxisSet> (*)(const Node& node);
/// The mesh axes along which a collective works: all devices along them must run it.
using CommunicatesFn = mesh::AxisSet (*)(const Node& node);

/// A result that takes over the memory of an operand of its type.
struct OutputAlias {
  int result = 0;
  int operand = 0;
};

/// Names for the dimensions of all operands and results of a kernel, "batch len heads" for each.
/// Dimensions of one name are split alike; the names are those of the activation rules. Must not be
/// split, since one call needs to see all of them: axes in `whole`, and axes that a result lacks.
struct KernelAxes {
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::vector<std::string> whole = {};
  /// Axes that may be split although results lack them: such a result is a sum over the axis, and
  /// the sums of the parts are added.
  std::vector<std::string> summed = {};
  /// Operands that are arguments of the program, such as parameters: the split is that of these
  /// alone, whatever the rules say of the names. Each has names of its own, which only the results
  /// that belong to it have.
  std::vector<int> as_arguments = {};
  /// A part would have to know where it lies: several devices have the reference, without a
  /// warning.
  bool on_one_device = false;
};

/// The results of a kernel computed by plain ops: for platforms without it, for arrays that are
/// split where KernelAxes forbids it, and for gradients of gradients.
using ReferenceFn = std::vector<Value> (*)(const Node& node, std::span<const Value> operands);
using KernelAxesFn = KernelAxes (*)(const Node& node);
/// Why this op should be computed by its formula although its kernel could run: its types, sizes or
/// the processor. Empty if the kernel suits. `op` is a candidate: a node that is not in a graph,
/// with the operands and attributes of the call and without result types. See decide_kernel.
using ObstacleFn = std::string (*)(const Node& op, const KernelTarget& target);
using AliasesFn = std::vector<OutputAlias> (*)(const Node& node);
/// Adds the node once more in a form that gives its only result plus `addend`, a value of its type;
/// null where there is no such form.
using PlusFn = Value (*)(const Node& node, Value addend);

/// The gradient of an op that is constant almost everywhere, or whose results are no numbers with a
/// gradient: its operands get none.
void zero_gradient(VjpContext& context);
/// For ops that have a gradient in principle but not here: differentiating through is an error.
void no_gradient(VjpContext& context);
inline constexpr VjpFn kZeroGradient = zero_gradient;
inline constexpr VjpFn kNoGradient = no_gradient;
/// The gradient of a kernel taken through its reference, whose intermediate values are computed
/// anew in the backward pass. For kernels that are the gradients of others.
void reference_gradient(VjpContext& context);
inline constexpr VjpFn kReferenceGradient = reference_gradient;

struct OpDef {
  std::string_view name;       // in messages
  std::string_view mlir = {};  // the op of StableHLO, where `write` is absent
  InferFn infer = nullptr;
  WriteFn write = nullptr;  // absent: `mlir` with the operands and no attributes
  VjpFn vjp = nullptr;
  AugmentFn augment = nullptr;            // only ops with regions, and few others
  VaryingFn varying = nullptr;            // only where the results do not vary as the operands do
  CommunicatesFn communicates = nullptr;  // only collectives
  bool cheap = false;            // recomputed in a body or in the backward pass, never kept
  bool has_side_effect = false;  // stays though nobody uses its results

  // Only kernels, ops that call a function of Meshwright; see decide_kernel. `infer` is asked for
  // whole arrays and for parts of them, with the same attributes.
  const pjrt::Kernel* handler = nullptr;  // registered before a program with the op is compiled
  ReferenceFn reference = nullptr;
  ObstacleFn obstacle = nullptr;  // absent: the kernel suits all operands that `infer` accepts
  KernelAxesFn axes = nullptr;    // absent: the partitioner gives every device the whole arrays
  AliasesFn aliases = nullptr;    // absent: all results have memory of their own
  PlusFn plus = nullptr;          // absent: sums are ops of their own
};

/// Throws invalid_argument: "<op>: <parts>"; the tracer adds where.
template <typename... Parts>
[[noreturn]] void reject(const Node& node, const Parts&... parts) {
  fail(ErrorCode::invalid_argument, node.op->name, ": ", parts...);
}

}  // namespace meshwright::graph
