// SPDX-License-Identifier: Apache-2.0
// The definition of one kind of operation. See node.h for how to add one.
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

/// Checks the operands and attributes of a new node and returns the types of its results. Reports
/// errors by calling reject(). Need not set Type::varying.
using InferFn = std::vector<Type> (*)(const Node& node);
/// Writes the node as StableHLO.
using WriteFn = void (*)(Writer& writer, const Node& node);
/// Adds the gradients of the operands, given the gradients of the results.
using VjpFn = void (*)(VjpContext& context);
/// For a vjp that needs more than operands and results: emits a variant of the node that also
/// computes the additional values. Returns the original results followed by the values to keep
/// (VjpContext::kept).
using AugmentFn = std::vector<Value> (*)(VjpContext& context);
/// Returns the mesh axes over which each result varies.
using VaryingFn = std::vector<mesh::AxisSet> (*)(const Node& node);
/// Returns the mesh axes along which a collective communicates. All devices along these axes must
/// run the node.
using CommunicatesFn = mesh::AxisSet (*)(const Node& node);

/// A result that reuses the memory of an operand of the same type.
struct OutputAlias {
  int result = 0;
  int operand = 0;
};

/// Names for the dimensions of a kernel's operands and results: for each array, text such as "batch
/// len heads". The activation rules map names to mesh axes, so dimensions with the same name are
/// split in the same way. Axes in `whole` and axes that a result lacks cannot be split, since each
/// call needs them whole.
struct KernelAxes {
  std::vector<std::string> operands;
  std::vector<std::string> results;
  std::vector<std::string> whole = {};
  /// Axes that may be split although a result lacks them. Such a result is a sum over the axis, and
  /// the partial sums of the shards are reduced.
  std::vector<std::string> summed = {};
  /// Operands that are arguments of the program, such as parameters. If there are any, only their
  /// shardings determine the split, and the rules are ignored. The axis names of each may occur in
  /// results, but not in other operands.
  std::vector<int> as_arguments = {};
  /// True if the kernel would need to know its shard's position. With more than one device, the
  /// reference is then used, without a warning.
  bool on_one_device = false;
};

/// Computes the results of a kernel with plain ops. Used on platforms without the kernel, for
/// splits that KernelAxes forbids, and for gradients of gradients.
using ReferenceFn = std::vector<Value> (*)(const Node& node, std::span<const Value> operands);
using KernelAxesFn = KernelAxes (*)(const Node& node);
/// Returns the reason why this op should be traced as its formula: its types, its sizes or the
/// target. Returns an empty string if it should be traced as a kernel node. `op` is a candidate: a
/// node outside any graph, with the operands and attributes of the call but without result types.
/// See becomes_kernel.
using ObstacleFn = std::string (*)(const Node& op, const KernelTarget& target);
using AliasesFn = std::vector<OutputAlias> (*)(const Node& node);
/// Emits a variant of the node that computes its only result plus `addend`, a value of the same
/// type. Returns a null value if there is no such variant.
using PlusFn = Value (*)(const Node& node, Value addend);

/// The zero gradient, for ops that are piecewise constant or have integer results.
void zero_gradient(VjpContext& context);
/// Always throws invalid_argument. For ops without a gradient.
void no_gradient(VjpContext& context);
inline constexpr VjpFn kZeroGradient = zero_gradient;
inline constexpr VjpFn kNoGradient = no_gradient;
/// Differentiates the reference of a kernel and recomputes its intermediate values. For kernels
/// that are themselves gradients.
void reference_gradient(VjpContext& context);
inline constexpr VjpFn kReferenceGradient = reference_gradient;

/// Kinds of products. Policies of rematerialisation keep the results of products, which are
/// expensive to compute once more.
enum class Product {
  none,
  unbatched,  // a matrix product without batch dimensions, such as one with a weight
  batched,    // with batch dimensions, such as attention
  convolution,
};
using ProductFn = Product (*)(const Node& node);

struct OpDef {
  std::string_view name;       // for messages
  std::string_view mlir = {};  // StableHLO op; used if `write` is null
  InferFn infer = nullptr;
  WriteFn write = nullptr;  // if null, `mlir` with the operands and no attributes
  VjpFn vjp = nullptr;
  AugmentFn augment = nullptr;            // ops with regions, and a few others
  VaryingFn varying = nullptr;            // if null, the union of the operands' axes
  CommunicatesFn communicates = nullptr;  // collectives
  ProductFn product = nullptr;            // if null, Product::none
  bool cheap = false;            // recomputed in bodies and in the backward pass, never kept
  bool has_side_effect = false;  // kept even if its results are unused

  // Kernels: ops that call a function in Meshwright; see decide_kernel. `infer` is called for whole
  // arrays and for shards, with the same attributes.
  const pjrt::Kernel* handler = nullptr;  // registered before a program with the op is compiled
  ReferenceFn reference = nullptr;
  ObstacleFn obstacle = nullptr;  // if null, all operands that `infer` accepts use it
  KernelAxesFn axes = nullptr;    // if null, the partitioner replicates the arrays
  AliasesFn aliases = nullptr;    // if null, no result reuses an operand's memory
  PlusFn plus = nullptr;          // if null, sums are separate ops

  // Ops for which CUDA has a library.
  ReferenceFn cuda = nullptr;          // computes the results with calls of the library
  ObstacleFn cuda_obstacle = nullptr;  // returns why the library cannot; if null, it always can
};

/// Throws invalid_argument with the message "<op>: <parts>"; the tracer adds the origin.
template <typename... Parts>
[[noreturn]] void reject(const Node& node, const Parts&... parts) {
  fail(ErrorCode::invalid_argument, node.op->name, ": ", parts...);
}

}  // namespace meshwright::graph
