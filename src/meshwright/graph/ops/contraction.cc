// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/contraction.h"

#include <algorithm>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::graph {
namespace {

using Labels = std::vector<int>;

bool has(std::span<const int> labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

std::int64_t position(std::span<const int> labels, int label) {
  return std::ranges::find(labels, label) - labels.begin();
}

Dims positions(std::span<const int> labels, const Labels& wanted) {
  Dims out;
  for (int label : wanted)
    out.push_back(position(labels, label));
  return out;
}

template <typename Predicate>
Labels filtered(std::span<const int> labels, Predicate keep) {
  Labels out;
  std::ranges::copy_if(labels, std::back_inserter(out), keep);
  return out;
}

Labels joined(const Labels& a, const Labels& b, const Labels& c = {}) {
  Labels out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

Value reordered(const Labelled& x, std::span<const int> order, SourceLoc loc) {
  return transpose(x.value, positions(x.labels, Labels(order.begin(), order.end())), loc);
}

void reorder(Labelled& x, Labels order, SourceLoc loc) {
  x = {reordered(x, order, loc), std::move(order)};
}

// Sums over the labels for which `drop` holds.
template <typename Predicate>
Labelled summed(const Labelled& x, Predicate drop, SourceLoc loc) {
  return {reduce_sum(x.value, positions(x.labels, filtered(x.labels, drop)), {}, loc),
          filtered(x.labels, [&](int label) { return !drop(label); })};
}

// Returns lhs * rhs, where one operand has all labels of the other and none is summed.
Value product(const Labelled& lhs,
              const Labelled& rhs,
              std::span<const int> out,
              DType dtype,
              SourceLoc loc) {
  auto spread = [&](const Labelled& x, const Dims& dims) {
    Labels order = filtered(out, [&](int label) { return has(x.labels, label); });
    return broadcast_in_dim(cast(reordered(x, order, loc), dtype), dims, positions(out, order),
                            loc);
  };
  const Labelled& whole = lhs.labels.size() >= rhs.labels.size() ? lhs : rhs;
  Dims dims;
  for (int label : out)
    dims.push_back(whole.value.dim(static_cast<int>(position(whole.labels, label))));
  return Operand(spread(lhs, dims), loc) * spread(rhs, dims);
}

// The labels of a two-operand contraction by their role.
struct Plan {
  Labels batch;     // in both operands and in the result, in the order of the result
  Labels contract;  // in both operands only
  Labels lhs_free, rhs_free;
};

Plan make_plan(const Labelled& lhs, const Labelled& rhs, std::span<const int> out) {
  auto in_lhs = [&](int label) { return has(lhs.labels, label); };
  auto in_rhs = [&](int label) { return has(rhs.labels, label); };
  Plan plan;
  plan.batch = filtered(out, [&](int label) { return in_lhs(label) && in_rhs(label); });
  plan.lhs_free = filtered(lhs.labels, [&](int label) { return !in_rhs(label); });
  plan.rhs_free = filtered(rhs.labels, [&](int label) { return !in_lhs(label); });
  // In the order of the larger operand, which then need not be transposed to make them adjacent.
  const Labelled& larger =
      num_elements(lhs.value.dims()) > num_elements(rhs.value.dims()) ? lhs : rhs;
  plan.contract = filtered(
      larger.labels, [&](int label) { return in_lhs(label) && in_rhs(label) && !has(out, label); });
  return plan;
}

// True if a matrix product can read x in place: batch first, then free and contracted blocks.
bool is_matrix(const Labelled& x, const Plan& plan, const Labels& free) {
  return x.labels == joined(plan.batch, free, plan.contract) ||
         x.labels == joined(plan.batch, plan.contract, free);
}

// True if transposing the operand is cheaper than transposing the result when their free labels
// differ in order. XLA copies an operand in any case if a matrix product cannot read it in place.
bool better_moved(const Labelled& x, const Plan& plan, const Labels& free, std::int64_t result) {
  return !is_matrix(x, plan, free) || num_elements(x.value.dims()) <= result;
}

Value matrix_product(Labelled lhs,
                     Labelled rhs,
                     std::span<const int> out,
                     const DotOptions& options,
                     SourceLoc loc) {
  Plan plan = make_plan(lhs, rhs, out);
  bool swapped = !out.empty() && has(plan.lhs_free, out.back());
  swapped = swapped && !plan.rhs_free.empty();  // dot_general puts the free dimensions of rhs last
  if (swapped) {
    std::swap(lhs, rhs);
    std::swap(plan.lhs_free, plan.rhs_free);
  }
  Labels lhs_wanted = filtered(out, [&](int label) { return has(plan.lhs_free, label); });
  Labels rhs_wanted = filtered(out, [&](int label) { return has(plan.rhs_free, label); });
  if (std::ranges::equal(out, joined(plan.batch, lhs_wanted, rhs_wanted))) {
    std::int64_t result = 1;
    for (int label : out) {
      const Labelled& x = has(lhs.labels, label) ? lhs : rhs;
      result *= x.value.dim(static_cast<int>(position(x.labels, label)));
    }
    if (plan.lhs_free != lhs_wanted && better_moved(lhs, plan, plan.lhs_free, result)) {
      reorder(lhs, joined(plan.batch, lhs_wanted, plan.contract), loc);
      plan.lhs_free = lhs_wanted;
    }
    if (plan.rhs_free != rhs_wanted && better_moved(rhs, plan, plan.rhs_free, result)) {
      reorder(rhs, joined(plan.batch, plan.contract, rhs_wanted), loc);
      plan.rhs_free = rhs_wanted;
    }
  }
  DotDims dims{.lhs_batch = positions(lhs.labels, plan.batch),
               .rhs_batch = positions(rhs.labels, plan.batch),
               .lhs_contract = positions(lhs.labels, plan.contract),
               .rhs_contract = positions(rhs.labels, plan.contract)};
  Value value = dot_general(lhs.value, rhs.value, std::move(dims), options, loc);
  return reordered({value, joined(plan.batch, plan.lhs_free, plan.rhs_free)}, out, loc);
}

}  // namespace

Value contraction(const Labelled& x, std::span<const int> out, SourceLoc loc) {
  return reordered(summed(
                       x, [&](int label) { return !has(out, label); }, loc),
                   out, loc);
}

Value contraction(Labelled lhs,
                  Labelled rhs,
                  std::span<const int> out,
                  const DotOptions& options,
                  SourceLoc loc) {
  lhs = summed(
      lhs, [&](int l) { return !has(rhs.labels, l) && !has(out, l); }, loc);
  rhs = summed(
      rhs, [&](int l) { return !has(lhs.labels, l) && !has(out, l); }, loc);
  bool one_is_whole = std::max(lhs.labels.size(), rhs.labels.size()) == out.size();
  bool nothing_summed = std::ranges::all_of(lhs.labels, [&](int l) { return has(out, l); });
  if (one_is_whole && nothing_summed) {
    return product(lhs, rhs, out, options.out.value_or(lhs.value.dtype()), loc);
  }
  return matrix_product(std::move(lhs), std::move(rhs), out, options, loc);
}

void check_product_dtypes(const Node& node, DType out) {
  DType in = node.in(0).dtype;
  if (node.in(1).dtype != in)
    reject(node, "dtypes differ: lhs ", node.in(0), " and rhs ", node.in(1), "; cast one of them");
  if (in == DType::pred) reject(node, "expects numbers, got ", node.in(0));
  if (is_float(in) != is_float(out) || is_signed(in) != is_signed(out) || out == DType::pred)
    reject(node, "products of ", in, " cannot be summed in ", out);
  if (bit_width(in) < 8 && in != out)  // XLA:CPU fails
    reject(node, "products of ", in, " cannot be summed in ", out, "; cast the operands to it");
}

}  // namespace meshwright::graph
