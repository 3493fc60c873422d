// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/reduce.h"

#include <algorithm>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/reductions.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

Dims dims_left(const Node& node) {
  const Dims& over = node.attr<Dims>();
  const Type& in = node.in(0);
  for (std::int64_t dim : over) {
    // stablehlo: reduce_c4
    if (dim < 0 || dim >= in.rank()) reject(node, "there is no dimension ", dim, " in ", in);
  }
  // stablehlo: reduce_c5
  if (!is_unique(over)) reject(node, "a dimension of ", in, " is named twice: ", over);
  Dims left;
  for (std::int64_t dim : counting_without(in.rank(), over))
    left.push_back(in.dims[static_cast<std::size_t>(dim)]);
  return left;
}

std::vector<Type> infer_numbers(const Node& node) {
  if (node.in(0).dtype == DType::pred) {
    reject(node, "expects numbers, got ", node.in(0), "; cast it or pass {.out = s32}");
  }
  return {Type(node.in(0).dtype, dims_left(node))};
}

std::vector<Type> infer_ordered(const Node& node) {
  return {Type(node.in(0).dtype, dims_left(node))};
}

std::vector<Type> infer_bits(const Node& node) {
  if (is_float(node.in(0).dtype)) reject(node, "expects booleans or integers, got ", node.in(0));
  return {Type(node.in(0).dtype, dims_left(node))};
}

std::string dimensions(const Node& node) {
  return str("dimensions = ", mlir_array(node.attr<Dims>()));
}

template <const ReductionOp& reduction>
void write_reduce(Writer& writer, const Node& node) {
  write_reduction(writer, node, "stablehlo.reduce", dimensions(node), reduction);
}

// Broadcasts a value of the result's shape over the reduced dimensions.
Value spread(VjpContext& c, Value x) {
  const Dims& in = c.node().in(0).dims;
  return broadcast_in_dim(x, in, counting_without(c.node().in(0).rank(), c.attr<Dims>()));
}

void sum_vjp(VjpContext& c) {
  c.add(0, [&] { return spread(c, c.cotangent()); });
}

void extremum_vjp(VjpContext& c) {
  c.add(0, [&] {
    Value chosen = cast(equal(c.operand(0), spread(c, c.result())), c.cotangent().dtype());
    Value share = c.cotangent() / reduce_sum(chosen, c.attr<Dims>());
    return spread(c, share) * chosen;
  });
}

// The gradient of an element is the product of all others: of those before it and those after it.
// Dividing the total product by the element would fail at zeros.
void prod_vjp(VjpContext& c) {
  c.add(0, [&] {
    const Type& in = c.node().in(0);
    Dims kept = counting_without(in.rank(), c.attr<Dims>());
    Dims order = kept;
    order.insert(order.end(), c.attr<Dims>().begin(), c.attr<Dims>().end());
    Value x = transpose(c.operand(0), order);
    Dims moved = x.dims();
    x = flatten(x, std::ssize(kept), -1);
    Value before = cumprod(x, -1, {.exclusive = true});
    Value behind = cumprod(x, -1, {.reverse = true, .exclusive = true});
    Value others = reshape(before * behind, moved);
    return spread(c, c.cotangent()) * transpose(others, inverse_permutation(order));
  });
}

constexpr OpDef op(std::string_view name, InferFn infer, WriteFn write, VjpFn vjp) {
  return {.name = name, .infer = infer, .write = write, .vjp = vjp};
}

Value reduce(const OpDef& op, Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  DType dtype = options.out.value_or(x.dtype());
  over = from_start(std::move(over), x.rank());
  std::ranges::sort(over);
  bool rounds = !options.out && (dtype == f16 || dtype == bf16);
  bool accumulates = &op == &kReduceSum || &op == &kReduceProd;
  Value wide = cast(x, rounds && accumulates ? f32 : dtype);
  Value out = over.empty() ? wide : emit(op, {wide}, over, loc);
  if (options.keep_dims) out = expand_dims(out, over, loc);
  return cast(out, dtype);
}

// Integers up to this number are exact in f32.
constexpr std::int64_t kExactInF32 = 1 << 24;

// Returns the first position of the extremum. Uses two reductions of scalars, because compilers
// vectorize these but not a reduction of (value, index) pairs. XLA:CPU vectorizes them for floats
// only, so positions are f32 where that is exact.
Value arg_extremum(
    std::string_view name, const OpDef& op, Value x, std::int64_t dim, DType index, SourceLoc loc) {
  dim = from_start(dim, x.rank());
  MW_CHECK(dim >= 0 && dim < x.rank(), name, ": there is no dimension ", dim, " in ", x,
           origin(loc));
  MW_CHECK(x.dim(static_cast<int>(dim)) > 0, name, ": dimension ", dim, " of ", x,
           " has no elements to choose from", origin(loc));
  MW_CHECK(is_integer(index), name, ": the dtype of the index must be an integer type, not ", index,
           origin(loc));
  Value extremum = reduce(op, x, {dim}, {.keep_dims = true}, loc);
  const Operand in(x, loc);
  Value found = equal(in, extremum);
  if (is_float(x.dtype())) found = logical_or(Operand(found, loc), not_equal(in, x));
  const std::int64_t size = x.dim(static_cast<int>(dim));
  const DType counting = size <= kExactInF32 ? f32 : index;
  const Value places = iota(counting, x.dims(), dim, loc);
  const Value last = constant(size - 1, counting, {}, loc);
  const Value first = reduce(kReduceMin, where(Operand(found, loc), places, last), {dim}, {}, loc);
  return cast(Operand(first, loc), index);
}

}  // namespace

const OpDef kReduceSum = op("reduce_sum", infer_numbers, write_reduce<reductions::kSum>, sum_vjp);
const OpDef kReduceProd =
    op("reduce_prod", infer_numbers, write_reduce<reductions::kProduct>, prod_vjp);
const OpDef kReduceMax =
    op("reduce_max", infer_ordered, write_reduce<reductions::kMax>, extremum_vjp);
const OpDef kReduceMin =
    op("reduce_min", infer_ordered, write_reduce<reductions::kMin>, extremum_vjp);
const OpDef kReduceAnd =
    op("reduce_and", infer_bits, write_reduce<reductions::kAnd>, kZeroGradient);
const OpDef kReduceOr = op("reduce_or", infer_bits, write_reduce<reductions::kOr>, kZeroGradient);

Value reduce_sum(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceSum, x, std::move(over), options, loc);
}
Value reduce_prod(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceProd, x, std::move(over), options, loc);
}
Value reduce_max(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceMax, x, std::move(over), options, loc);
}
Value reduce_min(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceMin, x, std::move(over), options, loc);
}
Value reduce_and(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceAnd, x, std::move(over), options, loc);
}
Value reduce_or(Value x, Dims over, const ReduceOptions& options, SourceLoc loc) {
  return reduce(kReduceOr, x, std::move(over), options, loc);
}

Value argmax(Value x, std::int64_t dim, DType index, SourceLoc loc) {
  return arg_extremum("argmax", kReduceMax, x, dim, index, loc);
}
Value argmin(Value x, std::int64_t dim, DType index, SourceLoc loc) {
  return arg_extremum("argmin", kReduceMin, x, dim, index, loc);
}

Dims all_dims(const Value& x) {
  return counting(x.rank());
}

}  // namespace meshwright::graph
