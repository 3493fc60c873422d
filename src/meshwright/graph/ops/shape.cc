// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/shape.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_reshape(const Node& node) {
  const Dims& dims = node.attr<Dims>();
  // stablehlo: reshape_c2
  if (num_elements(dims) != num_elements(node.in(0).dims)) {
    reject(node, node.in(0), " does not have as many elements as ", dims);
  }
  return {Type(node.in(0).dtype, dims)};
}

void reshape_vjp(VjpContext& c) {
  c.add(0, [&] { return reshape(c.cotangent(), c.node().in(0).dims); });
}

std::vector<Type> infer_transpose(const Node& node) {
  const Dims& permutation = node.attr<Dims>();
  const Type& in = node.in(0);
  // stablehlo: transpose_c2
  if (std::ssize(permutation) != in.rank() || !in_range(permutation, in.rank()) ||
      !is_unique(permutation)) {
    reject(node, permutation, " does not permute the dimensions of ", in);
  }
  Dims dims;
  for (std::int64_t from : permutation)
    dims.push_back(in.dims[static_cast<std::size_t>(from)]);
  return {Type(in.dtype, std::move(dims))};
}

void write_transpose(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.transpose", str("permutation = ", mlir_array(node.attr<Dims>())));
}

void transpose_vjp(VjpContext& c) {
  c.add(0, [&] { return transpose(c.cotangent(), inverse_permutation(c.attr<Dims>())); });
}

std::vector<Type> infer_reverse(const Node& node) {
  const Dims& dims = node.attr<Dims>();
  // stablehlo: reverse_c2, reverse_c3
  if (!in_range(dims, node.in(0).rank()) || !is_unique(dims)) {
    reject(node, dims, " are not distinct dimensions of ", node.in(0));
  }
  return {node.in(0)};
}

void write_reverse(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.reverse", str("dimensions = ", mlir_array(node.attr<Dims>())));
}

void reverse_vjp(VjpContext& c) {
  c.add(0, [&] { return reverse(c.cotangent(), c.attr<Dims>()); });
}

std::vector<Type> infer_concatenate(const Node& node) {
  auto dim = node.attr<std::int64_t>();
  Type out = node.in(0);
  // stablehlo: concatenate_c4
  if (dim < 0 || dim >= out.rank()) reject(node, "there is no dimension ", dim, " in ", out);
  auto at = static_cast<std::size_t>(dim);
  for (int i = 1; i < node.num_operands(); ++i) {
    const Type& in = node.in(i);
    // stablehlo: concatenate_c1, concatenate_c2
    bool fits = in.dtype == out.dtype && in.rank() == out.rank();
    for (std::size_t d = 0; fits && d < out.dims.size(); ++d)
      fits = d == at || in.dims[d] == out.dims[d];
    if (!fits) {
      reject(node, "part ", i, " is ", in, ", which differs from ", node.in(0),
             " in more than dimension ", dim);
    }
    out.dims[at] += in.dims[at];
  }
  return {std::move(out)};
}

void write_concatenate(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.concatenate",
            str("dimension = ", node.attr<std::int64_t>(), " : i64"));
}

void concatenate_vjp(VjpContext& c) {
  auto dim = c.attr<std::int64_t>();
  std::int64_t start = 0;
  for (int i = 0; i < c.node().num_operands(); ++i) {
    std::int64_t stop = start + c.node().in(i).dims[static_cast<std::size_t>(dim)];
    c.add(i, [&] { return take_slice(c.cotangent(), dim, start, stop); });
    start = stop;
  }
}

std::vector<Type> infer_pad(const Node& node) {
  const auto& [low, high, interior] = node.attr<Padding>();
  const Type& in = node.in(0);
  // stablehlo: pad_c1
  if (node.in(1).dtype != in.dtype || node.in(1).rank() != 0) {
    reject(node, "the padding value of ", in, " is ", node.in(1), ", not a scalar ", in.dtype);
  }
  // stablehlo: pad_c2
  auto rank = static_cast<std::size_t>(in.rank());
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    reject(node, "low ", low, ", high ", high, ", interior ", interior,
           " do not have one number per dimension of ", in);
  }
  Dims dims;
  for (std::size_t i = 0; i < rank; ++i) {
    // stablehlo: pad_c3, pad_c4
    if (interior[i] < 0) reject(node, "interior ", interior, " is negative");
    dims.push_back(in.dims[i] + low[i] + std::max<std::int64_t>(in.dims[i] - 1, 0) * interior[i] +
                   high[i]);
    if (dims[i] < 0) {
      reject(node, "low ", low[i], " and high ", high[i], " remove more than all of dimension ", i,
             " of ", in);
    }
  }
  return {Type(in.dtype, std::move(dims))};
}

void write_pad(Writer& writer, const Node& node) {
  const auto& [low, high, interior] = node.attr<Padding>();
  writer.op(node, "stablehlo.pad",
            str("edge_padding_low = ", mlir_array(low), ", edge_padding_high = ", mlir_array(high),
                ", interior_padding = ", mlir_array(interior)));
}

// Removes elements that padding added, and fills in zeros for those it removed.
Value unpad(Value g, const Padding& padding) {
  auto rank = padding.low.size();
  Padding restore{Dims(rank), Dims(rank), Dims(rank)};
  Dims start(rank), limit(rank), stride(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    restore.low[i] = std::max<std::int64_t>(-padding.low[i], 0);
    restore.high[i] = std::max<std::int64_t>(-padding.high[i], 0);
    start[i] = std::max<std::int64_t>(padding.low[i], 0);
    limit[i] =
        g.dims()[i] + restore.low[i] + restore.high[i] - std::max<std::int64_t>(padding.high[i], 0);
    stride[i] = padding.interior[i] + 1;
  }
  return slice(pad(g, 0, restore), start, limit, stride);
}

void pad_vjp(VjpContext& c) {
  const auto& padding = c.attr<Padding>();
  c.add(0, [&] { return unpad(c.cotangent(), padding); });
  c.add(1, [&] {
    auto total = [](Value x) { return reduce_sum(x, counting(x.rank())); };
    return total(c.cotangent()) - total(unpad(c.cotangent(), padding));
  });
}

std::vector<Type> infer_iota(const Node& node) {
  const auto& [type, dim] = node.attr<IotaAttrs>();
  // stablehlo: iota_c1
  if (dim < 0 || dim >= type.rank()) reject(node, "there is no dimension ", dim, " in ", type);
  if (type.dtype == DType::pred) reject(node, "expects a numeric dtype, got ", type);
  num_elements(type.dims);
  return {Type(type.dtype, type.dims)};
}

void write_iota(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.iota", str("iota_dimension = ", node.attr<IotaAttrs>().dim, " : i64"));
}

}  // namespace

const OpDef kReshape{.name = "reshape",
                     .mlir = "stablehlo.reshape",
                     .infer = infer_reshape,
                     .vjp = reshape_vjp,
                     .cheap = true};
const OpDef kTranspose{
    .name = "transpose", .infer = infer_transpose, .write = write_transpose, .vjp = transpose_vjp};
const OpDef kReverse{
    .name = "reverse", .infer = infer_reverse, .write = write_reverse, .vjp = reverse_vjp};
const OpDef kConcatenate{.name = "concatenate",
                         .infer = infer_concatenate,
                         .write = write_concatenate,
                         .vjp = concatenate_vjp};
const OpDef kPad{.name = "pad", .infer = infer_pad, .write = write_pad, .vjp = pad_vjp};
const OpDef kIota{
    .name = "iota", .infer = infer_iota, .write = write_iota, .vjp = kZeroGradient, .cheap = true};

Value reshape(Value x, Dims dims, SourceLoc loc) {
  if (x.dims() == dims) return x;
  return emit(kReshape, {x}, std::move(dims), loc);
}

Value transpose(Value x, Dims permutation, SourceLoc loc) {
  permutation = from_start(std::move(permutation), x.rank());
  if (permutation == counting(x.rank())) return x;
  return emit(kTranspose, {x}, std::move(permutation), loc);
}

Value swap_dims(Value x, std::int64_t a, std::int64_t b, SourceLoc loc) {
  Dims permutation = counting(x.rank());
  a = from_start(a, x.rank());
  b = from_start(b, x.rank());
  MW_CHECK(in_range(std::array{a, b}, x.rank()), "swap_dims: ", a, " and ", b,
           " are not both dimensions of ", x, origin(loc));
  std::swap(permutation[static_cast<std::size_t>(a)], permutation[static_cast<std::size_t>(b)]);
  return transpose(x, std::move(permutation), loc);
}

Value reverse(Value x, Dims dims, SourceLoc loc) {
  if (dims.empty()) return x;
  return emit(kReverse, {x}, from_start(std::move(dims), x.rank()), loc);
}

Value concatenate(std::vector<Value> parts, std::int64_t dim, SourceLoc loc) {
  // stablehlo: concatenate_c3
  MW_CHECK(!parts.empty(), "concatenate: no arrays", origin(loc));
  dim = from_start(dim, parts[0].rank());
  return emit_all(kConcatenate, std::move(parts), dim, {}, loc)[0];
}

Value stack(std::vector<Value> parts, std::int64_t dim, SourceLoc loc) {
  MW_CHECK(!parts.empty(), "stack: no arrays", origin(loc));
  dim = from_start(dim, parts[0].rank() + 1);
  for (const Value& part : parts) {
    MW_CHECK(part.dims() == parts[0].dims(), "stack: ", parts[0], " and ", part, " differ in shape",
             origin(loc));
  }
  for (Value& part : parts)
    part = expand_dims(part, {dim}, loc);
  return concatenate(std::move(parts), dim, loc);
}

Value pad(Value x, Operand value, Padding padding) {
  if (padding.interior.empty()) padding.interior.assign(padding.low.size(), 0);
  Dims nothing(x.dims().size(), 0);
  if (padding.low == nothing && padding.high == nothing && padding.interior == nothing) return x;
  return emit(kPad, {x, value.value_as(x.dtype())}, std::move(padding), value.loc());
}

Value iota(DType dtype, Dims dims, std::int64_t dim, SourceLoc loc) {
  dim = from_start(dim, static_cast<int>(dims.size()));
  return emit(kIota, {}, IotaAttrs{{dtype, std::move(dims)}, dim}, loc);
}

Value expand_dims(Value x, Dims positions, SourceLoc loc) {
  int rank = x.rank() + static_cast<int>(positions.size());
  positions = from_start(std::move(positions), rank);
  MW_CHECK(in_range(positions, rank) && is_unique(positions), "expand_dims: ", positions,
           " are not distinct dimensions of a result of rank ", rank, " made from ", x,
           origin(loc));
  Dims dims;
  auto next = x.dims().begin();
  for (std::int64_t i = 0; i < rank; ++i)
    dims.push_back(contains(positions, i) ? 1 : *next++);
  return reshape(x, std::move(dims), loc);
}

Value squeeze(Value x, Dims removed, SourceLoc loc) {
  removed = from_start(std::move(removed), x.rank());
  Dims dims;
  MW_CHECK(in_range(removed, x.rank()) && is_unique(removed), "squeeze: ", removed,
           " are not distinct dimensions of ", x, origin(loc));
  for (int i = 0; i < x.rank(); ++i) {
    if (!contains(removed, i)) {
      dims.push_back(x.dim(i));
    } else {
      MW_CHECK(x.dim(i) == 1, "squeeze: dimension ", i, " of ", x, " does not have size 1",
               origin(loc));
    }
  }
  return reshape(x, std::move(dims), loc);
}

Value flatten(Value x, std::int64_t first, std::int64_t last, SourceLoc loc) {
  first = from_start(first, x.rank());
  last = from_start(last, x.rank());
  MW_CHECK(in_range(std::array{first, last}, x.rank()) && first <= last, "flatten: dimensions ",
           first, " to ", last, " are not a range in ", x, origin(loc));
  auto begin = x.dims().begin() + first;
  auto end = x.dims().begin() + last + 1;
  Dims dims(x.dims().begin(), begin);
  dims.push_back(num_elements(Dims(begin, end)));
  dims.insert(dims.end(), end, x.dims().end());
  return reshape(x, std::move(dims), loc);
}

}  // namespace meshwright::graph
