// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/cross_entropy.h"

#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/dims.h"
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
#include "meshwright/kernels/cross_entropy/logits.h"
#include "meshwright/kernels/cross_entropy/vocab_parts.h"

namespace meshwright::kernels {

using graph::KernelAxes;
using graph::Node;
using graph::OpDef;
using graph::Type;
using graph::Value;
using graph::VjpContext;
using graph::Writer;

namespace {

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

// Returns the loss of each example.
Value losses_of(const ExampleSums& sums,
                Value labels,
                std::int64_t vocab_size,
                const CrossEntropyOptions& options) {
  const double smoothing = options.label_smoothing;
  Value loss = sums.normalizer - sums.labelled;
  if (smoothing > 0)
    loss = sums.normalizer - sums.labelled * (1 - smoothing) - sums.mean * smoothing;
  if (options.z_loss != 0) loss = loss + graph::square(sums.normalizer) * options.z_loss;
  Value has_label = graph::logical_and(labels >= 0, labels < vocab_size);
  return graph::where(has_label, loss, 0);
}

Value weighted_sum(Value losses, Value weights) {
  return graph::reduce_sum(losses * graph::cast(weights, losses.dtype()),
                           graph::counting(losses.rank()));
}

CrossEntropy from_logits(Value all,
                         Value labels,
                         Value weights,
                         const CrossEntropyOptions& options) {
  return {weighted_sum(cross_entropies(all, labels, options), weights),
          graph::argmax(graph::stop_gradient(all), -1, s32)};
}

CrossEntropy from_sums(const ExampleSums& sums,
                       const Projection& p,
                       Value labels,
                       Value weights,
                       const CrossEntropyOptions& options) {
  return {weighted_sum(losses_of(sums, labels, p.vocab_size(), options), weights), sums.predicted};
}

std::vector<Value> forward_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const CrossEntropyOptions& options = node.attr<CrossEntropyAttrs>().options;
  const Projection p = with_table_of_x(projection_of(node, in));
  const CrossEntropy out =
      num_parts(p, options) > 1
          ? from_sums(sums_over_parts(p, in[2], options), p, in[2], in[3], options)
          : from_logits(stored_logits(p, options), in[2], in[3], options);
  return {out.loss, out.predicted};
}

struct LossAndGradients {
  CrossEntropy out;
  Value d_x, d_table;
};

// `weights` are 0 for labels out of range.
LossAndGradients in_parts(const Projection& p,
                          Value labels,
                          Value weights,
                          const CrossEntropyOptions& options) {
  const ExampleSums sums = sums_over_parts(p, labels, options);
  const PartGradients gradients =
      gradients_over_parts(p, {labels, weights, sums.normalizer}, options);
  return {from_sums(sums, p, labels, weights, options), gradients.x, gradients.table};
}

// The logits are computed once and the table is cast once: on meshes, XLA would not merge two
// products, nor two gathers of the table.
LossAndGradients at_once(const Projection& p,
                         Value labels,
                         Value weights,
                         const CrossEntropyOptions& options) {
  Value stored = stored_logits(p, options), all = widened(stored);
  Value classes = graph::iota(s32, {p.vocab_size()});
  Value d_logits = logit_gradient(all, {labels, weights, graph::logsumexp(all, {-1})}, classes,
                                  p.vocab_size(), options);
  const LogitGradients of = gradients_of_logits(p, d_logits, options.stored, options.stored);
  return {from_logits(stored, labels, weights, options), of.x, of.table};
}

// Written by hand, since a reference has plain ops only.
std::vector<Value> gradients_formula(const Node& node, std::span<const Value> in) {
  graph::AxisScope own_axes;
  const auto& attrs = node.attr<CrossEntropyAttrs>();
  const Projection p = with_table_of_x(projection_of(node, in));
  Value labels = in[2];
  Value has_label = graph::logical_and(labels >= 0, labels < p.vocab_size());
  Value weights = graph::where(has_label, in[3], 0);
  const auto& make = num_parts(p, attrs.options) > 1 ? in_parts : at_once;
  const LossAndGradients found = make(p, labels, weights, attrs.options);
  std::vector<Value> out = {found.out.loss, found.out.predicted};
  if (attrs.d_x) out.push_back(graph::cast(found.d_x, in[0].dtype()));
  if (attrs.d_table) out.push_back(graph::cast(found.d_table, f32));
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
  logits = widened(logits);
  // Compares instead of gathering, so that the classes may be sharded.
  Value of_label = graph::one_hot(labels, logits.dim(-1), logits.dtype());
  return losses_of({.normalizer = graph::logsumexp(logits, {-1}),
                    .labelled = graph::reduce_sum(logits * of_label, {-1}),
                    .mean = options.label_smoothing > 0 ? graph::mean(logits, {-1}) : Value(),
                    .predicted = {}},
                   labels, logits.dim(-1), options);
}

CrossEntropy cross_entropy(const Projection& projection,
                           Value labels,
                           Value weights,
                           const CrossEntropyOptions& options,
                           SourceLoc loc) {
  const auto& [x, table, vocab_first] = projection;
  const CrossEntropyAttrs attrs{options, vocab_first};
  if (!graph::becomes_kernel(kCrossEntropy, {x, table, labels, weights}, attrs))
    return from_logits(stored_logits(with_table_of_x(projection), options), labels, weights,
                       options);
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
