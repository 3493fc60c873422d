// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/cross_entropy.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/cross_entropy/cross_entropy_handlers.h"
#include "meshwright/kernels/cross_entropy/cross_entropy_sizes.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

Value wide(Value x) {
  return x.dtype() == f64 ? x : graph::cast(x, f32);
}

void check_operands(const Node& node) {
  const Type &x = node.in(0), &table = node.in(1), &labels = node.in(2), &weights = node.in(3);
  if (x.rank() < 2 || x.rank() > 3 || (x.dtype != f32 && x.dtype != bf16))
    graph::reject(node, "x must be f32 or bf16, [batch, len, embed] or [batch, embed], got ", x);
  const bool vocab_first = node.attr<CrossEntropyAttrs>().vocab_first;
  if (table.rank() != 2 || table.dtype != f32 || table.dims[vocab_first ? 1 : 0] != x.dims.back())
    graph::reject(node, "the table must be f32, [", vocab_first ? "vocab, embed" : "embed, vocab",
                  "] with embed ", x.dims.back(), ", got ", table);
  const Dims examples(x.dims.begin(), x.dims.end() - 1);
  if (labels.array() != ArrayType{s32, examples} || weights.array() != ArrayType{f32, examples})
    graph::reject(node, "labels and weights must be ", ArrayType{s32, examples}, " and ",
                  ArrayType{f32, examples}, ", got ", labels, " and ", weights);
}

std::vector<Type> infer_forward(const Node& node) {
  check_operands(node);
  return {Type(f32, {}), node.in(2)};
}

std::vector<Type> infer_gradients(const Node& node) {
  const auto& attrs = node.attr<CrossEntropyAttrs>();
  std::vector<Type> out = infer_forward(node);
  if (attrs.d_x) out.push_back(node.in(0));
  if (attrs.d_table) out.push_back(node.in(1));
  return out;
}

KernelAxes axes_of(const Node& node) {
  const std::string examples = node.in(0).rank() == 3 ? "batch len" : "batch";
  const auto& attrs = node.attr<CrossEntropyAttrs>();
  const std::string table = attrs.vocab_first ? "vocab embed" : "embed vocab";
  KernelAxes axes{.operands = {examples + " embed", table, examples, examples},
                  .results = {"", examples},
                  .whole = {"embed", "vocab"},
                  .summed = {"batch", "len"}};
  if (node.op == &kCrossEntropyGradient) {
    if (attrs.d_x) axes.results.push_back(examples + " embed");
    if (attrs.d_table) axes.results.push_back(table);
  }
  return axes;
}

void write_call(Writer& writer, const Node& node) {
  const auto& [options, vocab_first, d_x, d_table] = node.attr<CrossEntropyAttrs>();
  graph::CallAttributes attributes = {{"label_smoothing", options.label_smoothing},
                                      {"z_loss", options.z_loss},
                                      {"vocab_first", vocab_first}};
  if (node.op == &kCrossEntropyGradient) {
    attributes.emplace("d_x", d_x);
    attributes.emplace("d_table", d_table);
  }
  CrossEntropySizes sizes = cross_entropy_sizes(node.in(0).dims, node.in(1).dims, vocab_first);
  if (node.op == &kCrossEntropyGradient) sizes.d_x = d_x, sizes.d_table = d_table;
  graph::write_custom_call(writer, node,
                           {.target = node.op->handler->name,
                            .attributes = attributes,
                            .scratch_floats = sizes.scratch_size()});
}

Projection projection_of(const Node& node, std::span<const Value> in) {
  return {in[0], in[1], node.attr<CrossEntropyAttrs>().vocab_first};
}

// The table must have the dtype of x.
Value logits_in(DType out, const Projection& p, SourceLoc loc) {
  graph::DotDims dims{.lhs_contract = {p.x.rank() - 1}, .rhs_contract = {p.vocab_first ? 1 : 0}};
  Value all = graph::dot_general(p.x, p.table, std::move(dims), {.out = out}, loc);
  return p.x.rank() == 3 ? graph::constrain(all, "batch len vocab", loc)
                         : graph::constrain(all, "batch vocab", loc);
}

Projection with_table_of_x(const Projection& p) {
  return {p.x, graph::cast(p.table, p.x.dtype()), p.vocab_first};
}

Value stored_logits(const Projection& p, const CrossEntropyOptions& options) {
  return logits_in(p.x.dtype() == f64 ? f64 : options.stored, with_table_of_x(p), SourceLoc());
}

CrossEntropy from_logits(Value all,
                         Value labels,
                         Value weights,
                         const CrossEntropyOptions& options) {
  Value losses = cross_entropies(all, labels, options);
  return {graph::reduce_sum(losses * graph::cast(weights, losses.dtype()),
                            graph::counting(losses.rank())),
          graph::argmax(graph::stop_gradient(all), -1, s32)};
}

std::vector<Value> forward_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const CrossEntropyOptions& options = node.attr<CrossEntropyAttrs>().options;
  CrossEntropy out =
      from_logits(stored_logits(projection_of(node, in), options), in[2], in[3], options);
  return {out.loss, out.predicted};
}

// Written by hand, since a reference has plain ops only. The logits are computed once and the table
// is cast once: on meshes, XLA would not merge two products, nor two gathers of the table.
std::vector<Value> gradients_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const auto& attrs = node.attr<CrossEntropyAttrs>();
  const CrossEntropyOptions& options = attrs.options;
  const Projection projection = with_table_of_x(projection_of(node, in));
  Value labels = in[2], stored = stored_logits(projection, options), all = wide(stored);
  const auto vocab_size = static_cast<double>(projection.vocab_size());
  Value normalizer = graph::logsumexp(all, {-1}, {.keep_dims = true});
  Value has_label = graph::logical_and(labels >= 0, labels < projection.vocab_size());
  Value weights = graph::expand_dims(graph::where(has_label, in[3], 0), {-1});
  Value wanted =
      graph::one_hot(labels, projection.vocab_size(), f32) * (1 - options.label_smoothing) +
      options.label_smoothing / vocab_size;
  Value d_logits =
      weights * (graph::exp(all - normalizer) * (1 + 2 * options.z_loss * normalizer) - wanted);

  const int vocab = projection.vocab_first ? 0 : 1, last = d_logits.rank() - 1;
  d_logits = graph::cast(d_logits, options.stored);
  const graph::DotOptions rounded{.out = options.stored};
  Value d_x = graph::dot_general(d_logits, graph::cast(projection.table, options.stored),
                                 {.lhs_contract = {last}, .rhs_contract = {vocab}}, rounded);
  graph::DotDims over_examples{.lhs_contract = graph::counting(last),
                               .rhs_contract = graph::counting(last)};
  Value x = graph::cast(in[0], options.stored);
  Value d_table = projection.vocab_first ? graph::dot_general(d_logits, x, over_examples, rounded)
                                         : graph::dot_general(x, d_logits, over_examples, rounded);
  CrossEntropy loss = from_logits(stored, labels, in[3], options);
  std::vector<Value> out = {loss.loss, loss.predicted};
  if (attrs.d_x) out.push_back(graph::cast(d_x, in[0].dtype()));
  if (attrs.d_table) out.push_back(graph::cast(d_table, f32));
  return out;
}

std::vector<Value> operands_of(const VjpContext& c) {
  return {c.operand(0), c.operand(1), c.operand(2), c.operand(3)};
}

std::vector<Value> with_gradients(VjpContext& c) {
  CrossEntropyAttrs attrs = c.attr<CrossEntropyAttrs>();
  attrs.d_x = c.needs(0), attrs.d_table = c.needs(1);
  const bool any = attrs.d_x || attrs.d_table;
  return graph::emit_all(any ? kCrossEntropyGradient : kCrossEntropy, operands_of(c), attrs, {},
                         {});
}

void cross_entropy_vjp(VjpContext& c) {
  Value cotangent = c.cotangent();
  std::size_t next = 0;  // kept() has only the needed gradients
  for (int i = 0; i < 2; ++i) {
    c.add(i, [&] {
      Value gradient = c.kept()[next++];
      return graph::cast(graph::cast(gradient, f32) * cotangent, gradient.dtype());
    });
  }
  c.add(3, [&] {  // rarely needed, so materialising the logits is acceptable
    Value all = logits(projection_of(c.node(), operands_of(c)));
    return cross_entropies(all, c.operand(2), c.attr<CrossEntropyAttrs>().options) * cotangent;
  });
}

std::string obstacle(const Node& op, const graph::KernelTarget& /*target*/) {
  const Type &x = op.in(0), &table = op.in(1);
  if (x.dtype != f32 && x.dtype != bf16) return str("dtype ", x.dtype);
  if (table.dtype == f64) return "a table of f64";
  return num_elements(x.dims) == 0 || num_elements(table.dims) == 0 ? "no elements" : "";
}

// Casts labels to s32. Labels out of range become -1.
Value as_labels(Value labels, std::int64_t vocab_size) {
  MW_CHECK(is_integer(labels.dtype()), "cross_entropy: labels must be integers, got ", labels,
           graph::origin(SourceLoc()));
  if (labels.dtype() == s32) return labels;
  Value has_label = graph::logical_and(labels >= 0, labels < vocab_size);
  return graph::where(has_label, graph::cast(labels, s32), -1);
}

}  // namespace

Value logits(const Projection& p, SourceLoc loc) {
  return logits_in(p.x.dtype() == f64 ? f64 : f32, with_table_of_x(p), loc);
}

Value cross_entropies(Value logits, Value labels, const CrossEntropyOptions& options) {
  MW_CHECK(logits.rank() == labels.rank() + 1 && is_integer(labels.dtype()),
           "cross_entropy: labels ", labels, " do not match logits ", logits,
           graph::origin(SourceLoc()));
  double smoothing = options.label_smoothing;
  logits = wide(logits);
  Value log_normalizer = graph::logsumexp(logits, {-1});
  // Compares instead of gathering, so that the classes may be sharded.
  Value of_label = graph::one_hot(labels, logits.dim(-1), logits.dtype());
  Value labelled = graph::reduce_sum(logits * of_label, {-1});
  Value loss = log_normalizer - labelled;
  if (smoothing > 0) {
    Value mean = graph::mean(logits, {-1});
    loss = log_normalizer - labelled * (1 - smoothing) - mean * smoothing;
  }
  if (options.z_loss != 0) loss = loss + graph::square(log_normalizer) * options.z_loss;
  Value has_label = graph::logical_and(labels >= 0, labels < logits.dim(-1));
  return graph::where(has_label, loss, 0);
}

CrossEntropy cross_entropy(const Projection& projection,
                           Value labels,
                           Value weights,
                           const CrossEntropyOptions& options,
                           SourceLoc loc) {
  const auto& [x, table, vocab_first] = projection;
  const CrossEntropyAttrs attrs{options, vocab_first};
  if (!graph::becomes_kernel(kCrossEntropy, {x, table, labels, weights}, attrs))
    return from_logits(stored_logits(projection, options), labels, weights, options);
  std::vector<Value> results = graph::emit_all(
      kCrossEntropy,
      {x, graph::cast(table, f32), as_labels(labels, projection.vocab_size()), weights}, attrs, {},
      loc);
  return {results[0], results[1]};
}

const OpDef kCrossEntropy{.name = "cross_entropy",
                          .infer = infer_forward,
                          .write = write_call,
                          .vjp = cross_entropy_vjp,
                          .augment = with_gradients,
                          .handler = &kCrossEntropyHandler,
                          .reference = forward_formula,
                          .obstacle = obstacle,
                          .axes = axes_of};

const OpDef kCrossEntropyGradient{.name = "cross_entropy_gradient",
                                  .infer = infer_gradients,
                                  .write = write_call,
                                  .vjp = graph::kReferenceGradient,
                                  .handler = &kCrossEntropyGradientHandler,
                                  .reference = gradients_formula,
                                  .axes = axes_of};

}  // namespace meshwright::kernels
