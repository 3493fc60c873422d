// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/muon.h"

#include <algorithm>
#include <cmath>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/transforms/by_label.h"
#include "meshwright/optim/transforms/moment.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

// The dimensions of rows and columns. The others index matrices.
struct MatrixDims {
  Dims batch, rows, cols;
};

std::optional<MatrixDims> find_matrix(const ParamSpec& spec) {
  MatrixDims out;
  Dims own = block_dims(spec, Block::layer);
  bool declares = std::any_of(spec.factorization.begin(), spec.factorization.end(),
                              [](FactorRole role) { return role != FactorRole::none; });
  if (!declares) {
    if (own.size() != 2) return std::nullopt;
    return MatrixDims{graph::counting(spec.num_stacked_dims), {own[0]}, {own[1]}};
  }
  for (std::size_t i = 0; i < spec.factorization.size(); ++i) {
    FactorRole role = spec.factorization[i];
    Dims& list = role == FactorRole::row   ? out.rows
                 : role == FactorRole::col ? out.cols
                                           : out.batch;
    list.push_back(static_cast<std::int64_t>(i));
  }
  if (out.rows.empty() || out.cols.empty()) return std::nullopt;
  return out;
}

std::int64_t size_of(const Dims& sizes, const Dims& dims) {
  std::int64_t out = 1;
  for (std::int64_t dim : dims)
    out *= sizes[static_cast<std::size_t>(dim)];
  return out;
}

Dims order_of(const MatrixDims& m) {
  Dims out = m.batch;
  out.insert(out.end(), m.rows.begin(), m.rows.end());
  out.insert(out.end(), m.cols.begin(), m.cols.end());
  return out;
}

// Reshapes x to [batch, rows, cols]; as_before() undoes it.
Value as_matrices(Value x, const MatrixDims& m) {
  const Dims& sizes = x.dims();
  return graph::reshape(graph::transpose(x, order_of(m)),
                        {size_of(sizes, m.batch), size_of(sizes, m.rows), size_of(sizes, m.cols)});
}
Value as_before(Value x, const MatrixDims& m, const Dims& sizes) {
  Dims order = order_of(m);
  Dims ordered;
  for (std::int64_t dim : order)
    ordered.push_back(sizes[static_cast<std::size_t>(dim)]);
  return graph::transpose(graph::reshape(x, ordered), graph::inverse_permutation(order));
}

// Return the batched products a b and a b^T.
Value product(Value a, Value b) {
  return graph::dot_general(
      a, b, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {1}});
}
Value product_transposed(Value a, Value b) {
  return graph::dot_general(
      a, b, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {2}});
}

// Newton-Schulz iteration. Transposes tall matrices so that the Gram matrix is the smaller one.
Value orthogonal(Value x, const MuonOptions& o) {
  bool is_tall = x.dim(1) > x.dim(2);
  if (is_tall) x = graph::swap_dims(x, 1, 2);
  x = x / (graph::sqrt(sum_square(x, {1, 2})) + o.eps);
  const auto& [a, b, c] = o.coefficients;
  for (int i = 0; i < o.iterations; ++i) {
    Value gram = product_transposed(x, x);
    x = a * x + product(b * gram + c * product(gram, gram), x);
  }
  return is_tall ? graph::swap_dims(x, 1, 2) : x;
}

double shape_factor(const MuonOptions& o, double rows, double cols) {
  if (o.consistent_rms) return *o.consistent_rms * std::sqrt(std::max(rows, cols));
  return std::sqrt(std::max(1.0, cols / rows));
}

Value update_of(const MuonOptions& o, const ParamUpdate& item) {
  std::optional<MatrixDims> m = find_matrix(item.spec);
  MW_CHECK(m, "muon: '", item.path, "' is ", item.spec.type,
           ", which is not a matrix or a stack of matrices");
  Value x = as_matrices(item.update, *m);
  double factor = shape_factor(o, static_cast<double>(x.dim(1)), static_cast<double>(x.dim(2)));
  return as_before(orthogonal(x, o) * factor, *m, item.update.dims());
}

bool matches_any(const std::vector<Regex>& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Regex& pattern) { return pattern.matches(path); });
}

Transform scale_by_muon(const MuonOptions& options) {
  auto slots = [o = options](const ParamSpecs& params) {
    SlotSpecs out;
    out["mu"] = slots_like(params, o.adam.mu_dtype);
    return out;
  };
  auto update = [o = options](const UpdateContext& context, const ValueTree& gradients,
                              ValueTree& state) {
    Value number = context.update_number();
    ValueTree mu = moving_average(gradients, state["mu"], o.beta);
    state["mu"] = stored_as(mu, state["mu"]);
    ValueTree momentum = o.muon_nesterov ? nesterov_average(gradients, mu, o.beta, number)
                                         : bias_corrected(mu, o.beta, number);
    return map_updates(context, momentum,
                       [&](const ParamUpdate& item) { return update_of(o, item); });
  };
  return {.name = "muon", .slots = slots, .update = update};
}

}  // namespace

Transform muon(const MuonOptions& o, const RunLength& run) {
  std::vector<Regex> patterns;
  for (const std::string& pattern : o.adamw_params)
    patterns.emplace_back(pattern);
  Label label = [patterns](const std::string& path, const ParamSpec& spec) {
    return find_matrix(spec) && !matches_any(patterns, path) ? "matrices" : "rest";
  };
  Transform matrices = chain({
      scale_by_muon(o),
      add_decayed_weights(o.weight_decay),
      scale_by_learning_rate(make_schedule(o.learning_rate, run), {.first_step = o.first_step}),
  });
  Transform rest = adamw({.learning_rate = o.adamw_learning_rate.value_or(o.learning_rate),
                          .first_step = o.first_step,
                          .adam = o.adam,
                          .weight_decay = o.weight_decay},
                         run);
  return by_label(label, {{"matrices", matrices}, {"rest", rest}}, "muon");
}

}  // namespace meshwright::optim
