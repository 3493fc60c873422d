// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/axis_scope.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/graph/vjp.h"
#include "meshwright/kernels/attention_handlers.h"
#include "meshwright/kernels/simd/softmax.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

// With fewer queries, as in decoding, copying the keys would cost more than looking at them.
constexpr std::int64_t kFewestQueries = 8;

// [len, src] or [batch, len, src] as batch kv q len src.
Value for_heads(Value mask) {
  MW_CHECK(mask.rank() == 2 || mask.rank() == 3, "attention: a mask is [len, src] or [batch, len, ",
           "src], got ", mask, graph::origin(SourceLoc()));
  return mask.rank() == 2 ? mask : expand_dims(mask, {1, 2});
}

void check_operands(const Node& node, std::size_t mask_at) {
  const Type &q = node.in(0), &k = node.in(1), &v = node.in(2);
  if (q.dims.size() != 5 || k.dims.size() != 4)
    graph::reject(node, "takes q [batch, len, kv, q, dim] and k [batch, src, kv, dim], got ", q,
                  " and ", k);
  if (q.dtype != f32 && q.dtype != bf16) graph::reject(node, "takes f32 or bf16, got ", q);
  const Dims wanted = {q.dims[0], k.dims[1], q.dims[2], q.dims[4]};
  if (k.dims != wanted || v.dims != wanted || k.dtype != q.dtype || v.dtype != q.dtype)
    graph::reject(node, "k and v must be ", ArrayType{q.dtype, wanted}, ", got ", k, " and ", v);
  if (node.operands.size() <= mask_at) return;
  const Type& mask = node.in(static_cast<int>(mask_at));
  Dims seen = {q.dims[1], k.dims[1]};
  if (mask.dims.size() == 3) seen.insert(seen.begin(), q.dims[0]);
  if (mask.dtype != pred || mask.dims != seen)
    graph::reject(node, "the mask must be ", ArrayType{pred, seen}, ", got ", mask);
}

std::string mask_axes(const Node& node, int at) {
  return node.in(at).dims.size() == 3 ? "batch len src" : "len src";
}

constexpr const char* kQueryAxes = "batch len kv q dim";
constexpr const char* kKeyAxes = "batch src kv dim";

KernelAxes axes_of(const Node& node, std::vector<std::string> operands, bool is_gradient) {
  KernelAxes axes{.operands = std::move(operands),
                  .results = {kQueryAxes},
                  .whole = {"len", "src", "q", "dim"}};
  if (is_gradient) axes.results = {kQueryAxes, kKeyAxes, kKeyAxes};
  auto mask_at = axes.operands.size();
  if (node.operands.size() > mask_at)
    axes.operands.push_back(mask_axes(node, static_cast<int>(mask_at)));
  return axes;
}

Value formula(Value q, Value k, Value v, Value mask) {
  return weighted_values(attention_probabilities(q, k, mask, {}), v);
}

void attention_vjp(VjpContext& c) {
  std::vector<Value> operands = {c.operand(0), c.operand(1), c.operand(2), c.cotangent()};
  if (c.node().operands.size() > 3) operands.push_back(c.operand(3));
  std::vector<Value> gradients =
      graph::emit_all(kAttentionGradient, std::move(operands), {}, {}, {});
  for (int i = 0; i < 3; ++i)
    c.add(i, gradients[static_cast<std::size_t>(i)]);
}

// By hand, since a reference is plain ops: through the probabilities, which are computed anew.
std::vector<Value> gradient_formula(const Node&, std::span<const Value> in) {
  graph::AxisScope own_axes;
  Value q = in[0], k = in[1], v = in[2], gradient = in[3];
  Value mask = in.size() > 4 ? in[4] : Value();
  Value probs = attention_probabilities(q, k, mask, {});
  graph::DotOptions in_f32{.out = f32};
  Value of_probs = graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src",
                                 gradient, v, in_f32);
  Value wide = graph::cast(probs, f32);
  Value mean = graph::reduce_sum(wide * of_probs, {4}, {.keep_dims = true});
  Value of_logits = wide * (of_probs - mean);
  if (!mask.is_null())
    of_logits =
        graph::where(graph::broadcast_to(for_heads(mask), of_logits.dims()), of_logits, 0.0);
  of_logits = graph::cast(of_logits, q.dtype());
  return {
      graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", of_logits, k),
      graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim", of_logits, q),
      graph::einsum("batch kv q len src, batch len kv q dim -> batch src kv dim", probs, gradient)};
}

}  // namespace

Value attention_probabilities(Value q, Value k, Value mask, Value bias) {
  DType sums = q.dtype() == f64 ? f64 : f32;
  Value logits = graph::einsum("batch len kv q dim, batch src kv dim -> batch kv q len src", q, k,
                               {.out = sums});
  if (!bias.is_null()) logits = logits + graph::cast(bias, sums);
  if (!mask.is_null()) {
    Value seen = graph::broadcast_to(for_heads(mask), logits.dims());
    logits = graph::where(seen, logits, static_cast<double>(kHiddenLogit));
  }
  return graph::cast(graph::softmax(logits, -1), q.dtype());
}

Value weighted_values(Value probabilities, Value v) {
  return graph::einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", probabilities,
                       v);
}

Value attention(Value q, Value k, Value v, Value mask, SourceLoc loc) {
  bool has_kernel = (q.dtype() == f32 || q.dtype() == bf16) && q.dim(1) >= kFewestQueries;
  if (!has_kernel) return formula(q, k, v, mask);
  std::vector<Value> operands = {q, k, v};
  if (!mask.is_null()) operands.push_back(mask);
  return graph::emit_all(kAttention, std::move(operands), {}, {}, loc)[0];
}

const OpDef kAttention{
    .name = "attention",
    .infer =
        [](const Node& node) {
          check_operands(node, 3);
          return std::vector{node.in(0)};
        },
    .write =
        [](Writer& writer, const Node& node) {
          graph::write_custom_call(writer, node,
                                   {.target = kAttentionHandler.name, .attributes = {}});
        },
    .vjp = attention_vjp,
    .handler = &kAttentionHandler,
    .reference =
        [](const Node&, std::span<const Value> in) {
          graph::AxisScope own_axes;
          return std::vector{formula(in[0], in[1], in[2], in.size() > 3 ? in[3] : Value())};
        },
    .axes =
        [](const Node& node) {
          return axes_of(node, {kQueryAxes, kKeyAxes, kKeyAxes}, false);
        }};

const OpDef kAttentionGradient{
    .name = "attention_gradient",
    .infer =
        [](const Node& node) {
          check_operands(node, 4);
          if (node.in(3).dims != node.in(0).dims || node.in(3).dtype != node.in(0).dtype)
            graph::reject(node, "the gradient of ", node.in(0), " cannot be ", node.in(3));
          return std::vector{node.in(0), node.in(1), node.in(2)};
        },
    .write =
        [](Writer& writer, const Node& node) {
          graph::write_custom_call(writer, node,
                                   {.target = kAttentionGradientHandler.name, .attributes = {}});
        },
    .vjp = graph::kReferenceGradient,
    .handler = &kAttentionGradientHandler,
    .reference = gradient_formula,
    .axes =
        [](const Node& node) {
          return axes_of(node, {kQueryAxes, kKeyAxes, kKeyAxes, kQueryAxes}, true);
        }};

}  // namespace meshwright::kernels
