// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/logits.h"

#include <utility>

#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::kernels {

using graph::Value;

Value widened(Value x) {
  return x.dtype() == f64 ? x : graph::cast(x, f32);
}

Projection with_table_of_x(const Projection& p) {
  return {p.x, graph::cast(p.table, p.x.dtype()), p.vocab_first};
}

Value logits_in(DType out, const Projection& p, SourceLoc loc) {
  graph::DotDims dims{.lhs_contract = {p.x.rank() - 1}, .rhs_contract = {p.vocab_first ? 1 : 0}};
  Value all = graph::dot_general(p.x, p.table, std::move(dims), {.out = out}, loc);
  return p.x.rank() == 3 ? graph::constrain(all, "batch len vocab", loc)
                         : graph::constrain(all, "batch vocab", loc);
}

Value stored_logits(const Projection& p, const CrossEntropyOptions& options) {
  return logits_in(p.x.dtype() == f64 ? f64 : options.stored, p, SourceLoc());
}

LogitGradients gradients_of_logits(const Projection& p,
                                   Value d_logits,
                                   DType stored,
                                   DType sums_of_x) {
  const int vocab = p.vocab_first ? 0 : 1, last = d_logits.rank() - 1;
  d_logits = graph::cast(d_logits, stored);
  Value x = graph::cast(p.x, stored);
  const graph::DotDims over_examples{.lhs_contract = graph::counting(last),
                                     .rhs_contract = graph::counting(last)};
  return {graph::dot_general(d_logits, graph::cast(p.table, stored),
                             {.lhs_contract = {last}, .rhs_contract = {vocab}}, {.out = sums_of_x}),
          graph::dot_general(p.vocab_first ? d_logits : x, p.vocab_first ? x : d_logits,
                             over_examples, {.out = stored})};
}

Value logit_gradient(Value all,
                     const LossTerms& terms,
                     Value classes,
                     std::int64_t vocab_size,
                     const CrossEntropyOptions& options) {
  Value normalizer = graph::expand_dims(terms.normalizer, {-1});
  Value is_label = graph::equal(graph::expand_dims(terms.labels, {-1}), classes);
  Value wanted = graph::cast(is_label, f32) * (1 - options.label_smoothing) +
                 options.label_smoothing / static_cast<double>(vocab_size);
  return graph::expand_dims(terms.weights, {-1}) *
         (graph::exp(all - normalizer) * (1 + 2 * options.z_loss * normalizer) - wanted);
}

}  // namespace meshwright::kernels
