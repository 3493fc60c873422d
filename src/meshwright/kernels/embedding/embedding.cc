// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/embedding/embedding.h"

#include <string>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/embedding/embedding_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

bool is_narrow(DType dtype) {
  return dtype == f32 || dtype == bf16;
}

Dims vectors_of(const Type& ids, std::int64_t size) {
  Dims dims = ids.dims;
  dims.push_back(size);
  return dims;
}

void check_ids(const Node& node, const Type& ids) {
  if (ids.dtype != s32 || ids.rank() < 1 || ids.rank() > 2)
    graph::reject(node, "ids must be s32 [batch, len] or [len], got ", ids);
}

std::vector<Type> infer_look_up(const Node& node) {
  const Type& table = node.in(0);
  if (table.rank() != 2 || !is_narrow(table.dtype))
    graph::reject(node, "the table must be f32 or bf16, [vocab, embed], got ", table);
  check_ids(node, node.in(1));
  return {Type(node.attr<EmbeddingAttrs>().out, vectors_of(node.in(1), table.dims[1]))};
}

// The attributes describe the unsharded table; the vectors of a shard may be narrower.
std::vector<Type> infer_gradient(const Node& node) {
  const Type &ids = node.in(0), &given = node.in(1);
  check_ids(node, ids);
  if (given.rank() != ids.rank() + 1 || given.dims != vectors_of(ids, given.dims.back()) ||
      !is_narrow(given.dtype))
    graph::reject(node, "the gradient must have one f32 or bf16 vector per id of ", ids, ", got ",
                  given);
  const ArrayType& table = node.attr<EmbeddingAttrs>().table;
  return {Type(table.dtype, {table.dims[0], given.dims.back()})};
}

std::string places_of(const Type& ids) {
  return ids.rank() == 2 ? "batch len" : "len";
}

void write_call(Writer& writer, const Node& node) {
  graph::write_custom_call(writer, node, {.target = node.op->handler->name, .attributes = {}});
}

Value formula(Value table, Value ids, DType out) {
  return graph::take(graph::cast(table, out), ids, 0);
}

std::string obstacle(const Node& op, const graph::KernelTarget& /*target*/) {
  const Type &table = op.in(0), &ids = op.in(1);
  for (DType dtype : {table.dtype, op.attr<EmbeddingAttrs>().out})
    if (!is_narrow(dtype)) return str("dtype ", dtype);
  if (table.rank() != 2) return str("a table of ", table.rank(), " dimensions");
  if (bit_width(ids.dtype) < 32) return str("ids of ", ids.dtype);
  if (ids.rank() < 1 || ids.rank() > 2) return str("ids of ", ids.rank(), " dimensions");
  return num_elements(table.dims) == 0 || num_elements(ids.dims) == 0 ? "no elements" : "";
}

void embedding_vjp(VjpContext& c) {
  c.add(0, [&] {
    return graph::emit_all(kEmbeddingGradient, {c.operand(1), c.cotangent()},
                           c.attr<EmbeddingAttrs>(), {}, {})[0];
  });
}

std::vector<Value> gradient_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const ArrayType& table = node.attr<EmbeddingAttrs>().table;
  Value words = graph::where(in[0] < 0, in[0] + table.dims[0], in[0]);
  Value sums = graph::segment_sum(graph::cast(in[1], f32), words, table.dims[0]);
  return {graph::cast(sums, table.dtype)};
}

// Casts ids to s32. Ids out of range become vocab_size, which stays out of range.
Value as_ids(Value ids, std::int64_t vocab_size) {
  if (ids.dtype() == s32) return ids;
  Value has_word = ids < vocab_size;
  if (is_signed(ids.dtype())) has_word = graph::logical_and(has_word, ids >= -vocab_size);
  return graph::where(has_word, graph::cast(ids, s32), vocab_size);
}

}  // namespace

Value embedding(Value table, Value ids, DType out, SourceLoc loc) {
  MW_CHECK(is_integer(ids.dtype()), "embedding: ids must be integers, got ", ids,
           graph::origin(loc));
  const EmbeddingAttrs attrs{table.type().array(), out};
  if (!graph::becomes_kernel(kEmbedding, {table, ids}, attrs)) return formula(table, ids, out);
  return graph::emit_all(kEmbedding, {table, as_ids(ids, table.dim(0))}, attrs, {}, loc)[0];
}

const OpDef kEmbedding{
    .name = "embedding",
    .infer = infer_look_up,
    .write = write_call,
    .vjp = embedding_vjp,
    .handler = &kEmbeddingHandler,
    .reference =
        [](const Node& node, std::span<const Value> in) {
          graph::AxisScope own_axes;
          return std::vector{formula(in[0], in[1], node.attr<EmbeddingAttrs>().out)};
        },
    .obstacle = obstacle,
    .axes =
        [](const Node& node) {
          const std::string places = places_of(node.in(1));
          return KernelAxes{.operands = {"vocab embed", places},
                            .results = {places + " embed"},
                            .whole = {"vocab"}};
        }};

const OpDef kEmbeddingGradient{.name = "embedding_gradient",
                               .infer = infer_gradient,
                               .write = write_call,
                               .vjp = graph::kReferenceGradient,
                               .handler = &kEmbeddingGradientHandler,
                               .reference = gradient_formula,
                               .axes = [](const Node& node) {
                                 const std::string places = places_of(node.in(0));
                                 return KernelAxes{.operands = {places, places + " embed"},
                                                   .results = {"vocab embed"},
                                                   .whole = {"vocab"},
                                                   .summed = {"batch", "len"}};
                               }};

}  // namespace meshwright::kernels
