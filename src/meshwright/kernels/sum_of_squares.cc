// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sum_of_squares.h"

#include <string>
#include <vector>

#include "meshwright/graph/axis_scope.h"
#include "meshwright/graph/global.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/graph/vjp.h"
#include "meshwright/kernels/sum_of_squares_handlers.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;

namespace {

Value formula(Value x) {
  return graph::global_sum(graph::square(x.dtype() == f64 ? x : graph::cast(x, f32)));
}

// Nothing is known of how the array lies.
KernelAxes axes_of(const Node& node) {
  KernelAxes axes{.operands = {""}, .results = {""}};
  for (int i = 0; i < node.in(0).rank(); ++i) {
    const std::string name = str("dim", i);
    axes.operands[0] += str(i == 0 ? "" : " ", name);
    axes.whole.push_back(name);
  }
  return axes;
}

}  // namespace

Value sum_of_squares(Value x, SourceLoc loc) {
  const bool has_kernel = (x.dtype() == f32 || x.dtype() == bf16) && num_elements(x.dims()) > 0 &&
                          graph::Tracer::current().mesh().num_devices() == 1;
  return has_kernel ? graph::emit(kSumOfSquares, {x}, loc) : formula(x);
}

const OpDef kSumOfSquares{
    .name = "sum_of_squares",
    .infer =
        [](const Node& node) {
          const Type& x = node.in(0);
          if (x.dtype != f32 && x.dtype != bf16) graph::reject(node, "takes f32 or bf16, got ", x);
          return std::vector{Type(f32, {})};
        },
    .write =
        [](graph::Writer& writer, const Node& node) {
          graph::write_custom_call(writer, node,
                                   {.target = node.op->handler->name, .attributes = {}});
        },
    .vjp =
        [](graph::VjpContext& c) {
          Value x = c.operand(0);
          c.add(0, graph::cast(graph::cast(x, f32) * (2.0 * c.cotangent()), x.dtype()));
        },
    .handler = &kSumOfSquaresHandler,
    .reference =
        [](const Node&, std::span<const Value> in) {
          graph::AxisScope own_axes;
          return std::vector{formula(in[0])};
        },
    .axes = axes_of};

}  // namespace meshwright::kernels
