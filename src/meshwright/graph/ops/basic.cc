// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/basic.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_argument(const Node& node) {
  return node.types;
}

void write_nothing(Writer& /*writer*/, const Node& /*node*/) {}

struct ConstantNode {  // includes the type, because there are no operands to infer it from
  ConstantAttrs value;
  ArrayType type;
};

std::vector<Type> infer_constant(const Node& node) {
  const ArrayType& type = node.attr<ConstantNode>().type;
  num_elements(type.dims);
  return {Type(type.dtype, type.dims)};
}

std::string element_literal(const HostTensor& tensor,
                            std::size_t i,
                            const std::vector<double>& all) {
  if (tensor.dtype() == DType::s64) return str(tensor.values<std::int64_t>()[i]);
  if (tensor.dtype() == DType::u64) return str(tensor.values<std::uint64_t>()[i]);
  return literal(all[i], tensor.dtype());
}

void append_elements(std::string& out, const HostTensor& tensor, const std::vector<double>& all) {
  const Dims& dims = tensor.dims();
  Dims strides = row_major_strides(dims);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto position = static_cast<std::int64_t>(i);
    if (i > 0) out += ", ";
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (position % (strides[d] * dims[d]) == 0) out += '[';
    }
    out += element_literal(tensor, i, all);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if ((position + 1) % (strides[d] * dims[d]) == 0) out += ']';
    }
  }
}

std::string dense_text(const ConstantNode& constant) {
  if (const double* number = std::get_if<double>(&constant.value)) {
    return literal(*number, constant.type.dtype);
  }
  if (const std::int64_t* number = std::get_if<std::int64_t>(&constant.value)) {
    return literal(*number, constant.type.dtype);
  }
  std::string out;
  const HostTensor& tensor = std::get<HostTensor>(constant.value);
  append_elements(out, tensor, tensor.to_doubles());
  return out;
}

void write_constant(Writer& writer, const Node& node) {
  const auto& constant = node.attr<ConstantNode>();
  writer.op(node, "stablehlo.constant",
            str("value = dense<", dense_text(constant), "> : ", mlir_type(constant.type)));
}

std::vector<Type> infer_vary(const Node& node) {
  return {node.in(0)};
}

std::vector<mesh::AxisSet> vary_axes(const Node& node) {
  return {node.in(0).varying | node.attr<mesh::AxisSet>()};
}

void write_alias(Writer& writer, const Node& node) {
  writer.alias(node, 0, node.operands[0]);
}

void vary_vjp(VjpContext& c) {
  mesh::AxisSet added = c.node().out().varying - c.node().in(0).varying;
  c.add(0, [&] { return all_reduce_sum(c.cotangent(), added); });
}

std::vector<Type> infer_broadcast(const Node& node) {
  const auto& [dims, where] = node.attr<BroadcastAttrs>();
  const Type& in = node.in(0);
  if (std::ssize(where) != in.rank()) {
    reject(node, where.size(), " positions given, one expected per dimension of ", in);
  }
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] < 0 || where[i] >= std::ssize(dims)) {
      reject(node, "dimension ", i, " of ", in, " maps to dimension ", where[i],
             ", which is not in ", dims);
    }
    std::int64_t target = dims[static_cast<std::size_t>(where[i])];
    if (in.dims[i] != target && in.dims[i] != 1) {
      reject(node, "dimension ", i, " of ", in, " cannot be broadcast to size ", target, " in ",
             dims);
    }
    if (i > 0 && where[i] <= where[i - 1]) reject(node, "positions ", where, " are not increasing");
  }
  return {Type(in.dtype, dims)};
}

void write_broadcast(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.broadcast_in_dim",
            str("broadcast_dimensions = ", mlir_array(node.attr<BroadcastAttrs>().where)));
}

void broadcast_vjp(VjpContext& c) {
  c.add(0, [&] {
    const auto& [dims, where] = c.attr<BroadcastAttrs>();
    const Dims& in = c.node().in(0).dims;
    Dims summed;
    for (std::int64_t d = 0; d < std::ssize(dims); ++d) {
      auto at = std::ranges::find(where, d);
      bool kept = at != where.end() && in[static_cast<std::size_t>(at - where.begin())] ==
                                           dims[static_cast<std::size_t>(d)];
      if (!kept) summed.push_back(d);
    }
    return reshape(reduce_sum(c.cotangent(), summed), in);
  });
}

}  // namespace

const OpDef kArgument{
    .name = "argument", .infer = infer_argument, .write = write_nothing, .vjp = kZeroGradient};
const OpDef kConstant{.name = "constant",
                      .infer = infer_constant,
                      .write = write_constant,
                      .vjp = kZeroGradient,
                      .cheap = true};
const OpDef kVary{.name = "vary",
                  .infer = infer_vary,
                  .write = write_alias,
                  .vjp = vary_vjp,
                  .varying = vary_axes,
                  .cheap = true};
const OpDef kBroadcastInDim{.name = "broadcast_in_dim",
                            .infer = infer_broadcast,
                            .write = write_broadcast,
                            .vjp = broadcast_vjp,
                            .cheap = true};

Value constant(double number, DType dtype, Dims dims, SourceLoc loc) {
  return emit(kConstant, {}, ConstantNode{number, {dtype, std::move(dims)}}, loc);
}

Value constant(std::int64_t number, DType dtype, Dims dims, SourceLoc loc) {
  return emit(kConstant, {}, ConstantNode{number, {dtype, std::move(dims)}}, loc);
}

Value constant(const HostTensor& tensor, SourceLoc loc) {
  return emit(kConstant, {}, ConstantNode{tensor, tensor.type()}, loc);
}

Value zeros(const Type& type, SourceLoc loc) {
  return vary(constant(0, type.dtype, type.dims, loc), type.varying, loc);
}

Value vary(Value x, mesh::AxisSet axes, SourceLoc loc) {
  if (x.type().varying.contains(axes)) return x;
  return emit(kVary, {x}, axes, loc);
}

Value broadcast_in_dim(Value x, Dims dims, Dims where, SourceLoc loc) {
  if (x.dims() == dims) return x;
  return emit(kBroadcastInDim, {x}, BroadcastAttrs{std::move(dims), std::move(where)}, loc);
}

Value broadcast_to(Value x, const Dims& dims, SourceLoc loc) {
  auto offset = std::ssize(dims) - x.rank();
  Dims where;
  for (int i = 0; i < x.rank(); ++i)
    where.push_back(offset + i);
  return broadcast_in_dim(x, dims, std::move(where), loc);
}

Dims broadcast_dims(const OpDef& op, std::span<const Value> values, SourceLoc loc) {
  std::size_t rank = 0;
  for (const Value& value : values)
    rank = std::max(rank, value.dims().size());
  Dims out(rank, 1);
  for (const Value& value : values) {
    std::size_t offset = rank - value.dims().size();
    for (std::size_t i = 0; i < value.dims().size(); ++i) {
      std::int64_t dim = value.dims()[i];
      std::int64_t& known = out[offset + i];
      if (dim == 1 || dim == known) continue;
      MW_CHECK(known == 1, op.name, ": ", join(values, " and "),
               " cannot be broadcast to one shape: ", "dimension ", offset + i, " is ", known,
               " and ", dim, origin(loc));
      known = dim;
    }
  }
  return out;
}

Value Operand::value_as(DType dtype, const Dims& dims) const {
  if (const Value* value = std::get_if<Value>(&content_)) return *value;
  if (const double* number = std::get_if<double>(&content_)) {
    MW_CHECK(is_float(dtype), "the number ", *number, " cannot be combined with an array of ",
             dtype, "; cast one of them (", loc_, ")");
    return constant(*number, dtype, dims, loc_);
  }
  return constant(std::get<std::int64_t>(content_), dtype, dims, loc_);
}

}  // namespace meshwright::graph
