// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/dropout/dropout.h"

#include <cstdint>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/dropout/dropout_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::random::Key;
using graph::random::KeyKind;

namespace {

std::vector<Type> infer_dropout(const Node& node) {
  const Type& x = node.in(0);
  if (x.dtype != f32 && x.dtype != bf16) graph::reject(node, "x must be f32 or bf16, got ", x);
  for (int i = 1; i < 3; ++i)
    if (node.in(i).dtype != u32 || node.in(i).rank() != 0)
      graph::reject(node, "key words must be u32 scalars, got ", node.in(i));
  return {Type(x.dtype, x.dims)};
}

void write_dropout(graph::Writer& writer, const Node& node) {
  graph::write_custom_call(writer, node,
                           {.target = node.op->handler->name,
                            .attributes = {{"p", node.attr<DropoutAttrs>().keep_probability}}});
}

Value formula(Value x, const Drawing& drawing, const Dims& shared, SourceLoc loc) {
  Dims drawn = x.dims();
  for (std::int64_t dim : shared)
    drawn.at(static_cast<std::size_t>(dim < 0 ? dim + x.rank() : dim)) = 1;
  Value stays =
      graph::random::bernoulli(drawing.key, graph::Operand(drawing.keep_probability, loc), drawn);
  Value wide = x.dtype() == f64 ? x : graph::cast(x, f32);
  Value left =
      graph::where(graph::broadcast_to(stays, x.dims()), wide / drawing.keep_probability, 0);
  return graph::cast(left, x.dtype());
}

std::string obstacle(const Node& op, const graph::KernelTarget& /*target*/) {
  const DType dtype = op.in(0).dtype;
  if (dtype != f32 && dtype != bf16) return str("dtype ", dtype);
  if (op.attr<DropoutAttrs>().has_shared_dims) return "elements share draws";
  return obstacle_of_key(std::span(op.operands).subspan(1));
}

// Applies the same mask and scale to the gradient.
void dropout_vjp(graph::VjpContext& c) {
  c.add(0, [&] {
    return graph::emit_all(kDropout, {c.cotangent(), c.operand(1), c.operand(2)},
                           c.attr<DropoutAttrs>(), {}, {})[0];
  });
}

}  // namespace

std::string obstacle_of_key(std::span<const Value> words) {
  if (words.size() != 2) return "the key is not a threefry key";
  return words[0].rank() == 0 ? "" : "a batch of keys";
}

Value dropout(Value x, const Drawing& drawing, const Dims& shared, SourceLoc loc) {
  MW_CHECK(drawing.keep_probability > 0 && drawing.keep_probability <= 1,
           "dropout: keep_probability must be above 0 and at most 1, got ",
           drawing.keep_probability, graph::origin(loc));
  const DropoutAttrs attrs{drawing.keep_probability, !shared.empty()};
  std::vector<Value> operands = drawing.key.words();
  operands.insert(operands.begin(), x);
  if (!graph::becomes_kernel(kDropout, operands, attrs)) return formula(x, drawing, shared, loc);
  return graph::emit_all(kDropout, std::move(operands), attrs, {}, loc)[0];
}

const OpDef kDropout{
    .name = "dropout",
    .infer = infer_dropout,
    .write = write_dropout,
    .vjp = dropout_vjp,
    .handler = &kDropoutHandler,
    .reference =
        [](const Node& node, std::span<const Value> in) {
          graph::AxisScope own_axes;
          const Key key(KeyKind::threefry, {in[1], in[2]});
          return std::vector{
              formula(in[0], {key, node.attr<DropoutAttrs>().keep_probability}, {}, node.loc)};
        },
    .obstacle = obstacle,
    .axes =
        [](const Node& /*node*/) {
          return KernelAxes{.operands = {}, .results = {}, .on_one_device = true};
        }};

}  // namespace meshwright::kernels
