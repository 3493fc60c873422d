// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/vocab_parts.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::kernels {

using graph::Value;

namespace {

// All parts have the same size: the last one begins early enough, and skips the classes that the
// one before it has had.
struct Parts {
  std::int64_t vocab_size, num, size;

  Parts(const Projection& p, const CrossEntropyOptions& options)
      : vocab_size(p.vocab_size()),
        num(num_parts(p, options)),
        size((vocab_size + num - 1) / num) {}
};

class Part {
 public:
  Part(const Parts& parts, const Projection& p, Value index, const CrossEntropyOptions& options)
      : begin_(graph::minimum(index * parts.size, parts.vocab_size - parts.size)),
        classes_(begin_ + graph::iota(s32, {parts.size})),
        is_new_(classes_ >= index * parts.size),
        vocab_dim_(p.vocab_first ? 0 : 1),
        projection_{p.x, dynamic_slice_in_dim(p.table, vocab_dim_, begin_, parts.size),
                    p.vocab_first},
        logits_(widened(stored_logits(projection_, options))) {}

  const Projection& projection() const { return projection_; }
  Value begin() const { return begin_; }
  Value classes() const { return classes_; }
  Value logits() const { return logits_; }
  /// Returns x with a number for the classes that another part has.
  Value only_new(Value x, double otherwise) const {
    return graph::where(graph::broadcast_to(is_new_, x.dims()), x, otherwise);
  }
  /// Adds to the part of an array of the shape of the table.
  Value plus_table(Value all, Value part) const {
    Value old = dynamic_slice_in_dim(all, vocab_dim_, begin_, part.dim(vocab_dim_));
    return dynamic_update_slice_in_dim(all, old + part, vocab_dim_, begin_);
  }

 private:
  Value begin_, classes_, is_new_;
  int vocab_dim_;
  Projection projection_;
  Value logits_;
};

bool is_sharded(std::string_view axis) {
  const graph::Tracer& tracer = graph::Tracer::current();
  const mesh::AxisRule* rule = tracer.activation_rules().find(axis);
  return rule != nullptr && std::ranges::any_of(rule->mesh_axes, [&](const std::string& name) {
           return tracer.mesh().axis_size(name) > 1;
         });
}

template <typename Body>
std::vector<Value> over_parts(const Projection& p,
                              const CrossEntropyOptions& options,
                              const std::vector<Value>& carry,
                              const Body& body) {
  const Parts parts(p, options);
  return graph::scan(carry, std::vector{graph::iota(s32, {parts.num})},
                     [&](std::span<const Value> now, std::span<const Value> index) {
                       graph::AxisScope own_axes;
                       const Part part(parts, p, index[0], options);
                       return graph::ScanStep{.carry = body(part, now), .ys = {}};
                     })
      .carry;
}

}  // namespace

std::int64_t num_parts(const Projection& p, const CrossEntropyOptions& options) {
  if (options.vocab_parts <= 1 || is_sharded("vocab")) return 1;
  const std::int64_t most = std::min(options.vocab_parts, p.vocab_size());
  const std::int64_t size = (p.vocab_size() + most - 1) / most;
  return (p.vocab_size() + size - 1) / size;  // each has a class of its own
}

ExampleSums sums_over_parts(const Projection& p, Value labels, const CrossEntropyOptions& options) {
  const DType sums = p.x.dtype() == f64 ? f64 : f32;
  const Dims examples = labels.dims();
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  Value zero = graph::zeros({sums, examples});
  const std::vector<Value> found = over_parts(
      p, options,
      {graph::constant(kNothing, sums, examples), zero, zero, zero, graph::zeros({s32, examples})},
      [&](const Part& part, std::span<const Value> now) {
        Value all = part.only_new(part.logits(), kNothing);
        Value of_part = graph::reduce_max(all, {-1});
        Value largest = graph::maximum(now[0], of_part);
        Value powers = graph::exp(all - graph::expand_dims(largest, {-1}));
        Value sum = now[1] * graph::exp(now[0] - largest) + graph::reduce_sum(powers, {-1});
        Value is_label = graph::equal(graph::expand_dims(labels, {-1}), part.classes());
        Value finite = part.only_new(part.logits(), 0);
        Value labelled = now[2] + graph::reduce_sum(graph::where(is_label, finite, 0), {-1});
        Value total =
            options.label_smoothing > 0 ? now[3] + graph::reduce_sum(finite, {-1}) : now[3];
        Value best = part.begin() + graph::argmax(all, -1, s32);
        return std::vector{largest, sum, labelled, total,
                           graph::where(of_part > now[0], best, now[4])};
      });
  return {.normalizer = found[0] + graph::log(found[1]),
          .labelled = found[2],
          .mean = options.label_smoothing > 0 ? found[3] / static_cast<double>(p.vocab_size())
                                              : Value(),
          .predicted = found[4]};
}

PartGradients gradients_over_parts(const Projection& p,
                                   const LossTerms& terms,
                                   const CrossEntropyOptions& options) {
  const std::vector<Value> found = over_parts(
      p, options, {graph::zeros({f32, p.x.dims()}), graph::zeros({options.stored, p.table.dims()})},
      [&](const Part& part, std::span<const Value> now) {
        Value d_logits =
            logit_gradient(part.logits(), terms, part.classes(), p.vocab_size(), options);
        const LogitGradients of_part =
            gradients_of_logits(part.projection(), part.only_new(d_logits, 0), options.stored, f32);
        return std::vector{now[0] + of_part.x, part.plus_table(now[1], of_part.table)};
      });
  return {found[0], found[1]};
}

}  // namespace meshwright::kernels
