// SPDX-License-Identifier: Apache-2.0
// Collectives and manual regions on the mesh d=2,t=4, compared with shard_map.
#include "case.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/formula.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

using Args = std::span<const Value>;

// A case with one array, sharded in rows along d and columns along t.
Case on_parts(std::string name,
              mesh::ShardSpec out,
              const std::function<Value(Value)>& body,
              std::string jax,
              bool gradient = true) {
  return {.name = std::move(name),
          .args = {normal("8 16")},
          .build =
              [out, body](Value x) {
                return manual({{x, "rows/d cols/t"}}, {out},
                              [&](Args parts) { return std::vector<Value>{body(parts[0])}; });
              },
          .jax = std::move(jax),
          .gradient = gradient,
          .on_mesh = true};
}

std::vector<Case> collectives() {
  auto reduced = [](Reduction how) {
    return [how](Value x) { return all_reduce(square(x), {"t"}, how); };
  };
  return {
      on_parts(
          "manual-plain", "rows/d cols/t", [](Value x) { return x * graph::exp(x); },
          "manual(P('d', 't'), P('d', 't'))(lambda x: x * jnp.exp(x))"),
      on_parts("all_reduce_sum", "rows/d 4", reduced(Reduction::sum),
               "manual(P('d', 't'), P('d'))(lambda x: lax.psum(x * x, 't'))"),
      on_parts("all_reduce_max", "rows/d 4", reduced(Reduction::max),
               "manual(P('d', 't'), P('d'))(lambda x: lax.pmax(x * x, 't'))", false),
      on_parts("all_reduce_min", "rows/d 4", reduced(Reduction::min),
               "manual(P('d', 't'), P('d'))(lambda x: lax.pmin(x * x, 't'))", false),
      on_parts(
          "all_reduce-of-all", "",
          [](Value x) {
            return all_reduce(reduce_sum(square(x), {0, 1}), {"d", "t"});
          },
          "manual(P('d', 't'), P())(lambda x: lax.psum((x * x).sum(), ('d', 't')))"),
      on_parts(
          "all_gather", "rows/d",
          [](Value x) {
            return all_reduce(reduce_sum(square(all_gather(x, 1, {"t"})), {1}), {"t"});
          },
          "manual(P('d', 't'), P('d'))(lambda x: lax.psum("
          "(lax.all_gather(x, 't', axis=1, tiled=True)**2).sum(1), 't'))"),
      on_parts(
          "all_gather_replicated", "8 16",
          [](Value x) {
            return square(all_gather_replicated(all_gather_replicated(x, 1, {"t"}), 0, {"d"}));
          },
          "manual(P('d', 't'), P())(lambda x: all_gather_invariant(all_gather_invariant("
          "x, 't', axis=1, tiled=True), 'd', axis=0, tiled=True)**2)"),
      on_parts(
          "reduce_scatter", "2/d 16/t", [](Value x) { return reduce_scatter(square(x), 0, {"t"}); },
          "manual(P('d', 't'), P('d', 't'))(lambda x: lax.psum_scatter("
          "x * x, 't', scatter_dimension=0, tiled=True))"),
      on_parts(
          "all_to_all", "2/d 64/t", [](Value x) { return square(all_to_all(x, 0, 1, {"t"})); },
          "manual(P('d', 't'), P('d', 't'))(lambda x: lax.all_to_all("
          "x, 't', split_axis=0, concat_axis=1, tiled=True)**2)"),
      on_parts(
          "permute", "rows/d cols/t",
          [](Value x) {
            return square(permute(x, {"t"}, {{0, 2}, {2, 3}, {3, 1}}));
          },
          "manual(P('d', 't'), P('d', 't'))(lambda x: lax.ppermute("
          "x, 't', [(0, 2), (2, 3), (3, 1)])**2)"),
      on_parts(
          "axis_index", "rows/d cols/t",
          [](Value x) {
            return x * cast(axis_index({"t", "d"}), x.dtype());
          },
          "manual(P('d', 't'), P('d', 't'))(lambda x: x * lax.axis_index(('t', "
          "'d')).astype(x.dtype))"),
  };
}

// Operations by formulas; JAX computes the same on whole arrays.
std::vector<Case> formulas() {
  return {
      {.name = "formula-layer",
       .args = {normal("8 16"), normal("16 12"), normal("12 16")},
       .build =
           [](Value x, Value w, Value v) {
             return manual(
                 {{x, "B/d M/t"}, {w, "M/d H/t"}, {v, "H/t M/d"}}, {"B/d M/t"}, [](Args p) {
                   Value all = all_gather("B/d M/t -> B/d M", p[0]);
                   Value up = all_gather("M/d H/t -> M H/t", p[1]);
                   Value down = all_gather("H/t M/d -> H/t M", p[2]);
                   Value hidden = graph::tanh(einsum_unreduced("B/d M, M H/t -> B/d H/t", all, up));
                   Value terms = einsum_unreduced("B/d H/t, H/t M -> B/d M", hidden, down);
                   return std::vector<Value>{reduce_scatter("B/d M -> B/d M/t", terms)};
                 });
           },
       .jax = "lambda x, w, v: jnp.tanh(x @ w) @ v",
       .on_mesh = true},
      {.name = "index_unreduced",
       .args = {normal("16 6"), integers("8 3", 0, 15)},
       .build =
           [](Value table, Value ids) {
             return manual({{table, "V/t M"}, {ids, "B/d L"}}, {"B/d L M"}, [](Args p) {
               Value terms = index_unreduced("V/t M, B/d L -> B/d L M", p[0], p[1]);
               return std::vector<Value>{all_reduce(terms, {"t"})};
             });
           },
       .jax = "lambda table, ids: table[ids]",
       .on_mesh = true},
  };
}

// Weights that are equal on all devices of a mesh axis: their gradient is a sum over that axis.
std::vector<Case> weights() {
  return {
      {.name = "manual-replicated-weight",
       .args = {normal("8 16"), normal("16")},
       .build =
           [](Value x, Value w) {
             return manual({{x, "rows/d cols/t"}, {w, "cols/t"}}, {"rows/d cols/t"},
                           [](Args p) { return std::vector<Value>{p[0] * p[1]}; });
           },
       .jax = "manual((P('d', 't'), P('t')), P('d', 't'))(lambda x, w: x * w)",
       .on_mesh = true},
      {.name = "manual-captured-weight",
       .args = {normal("8 16"), normal("16 4")},
       .build =
           [](Value x, Value w) {
             return manual({{x, "rows/d/t cols"}}, {"rows/d/t 4"}, [&](Args p) {
               return std::vector<Value>{einsum("row in, in out -> row out", p[0], w)};
             });
           },
       .jax = "manual((P(('d', 't')), P()), P(('d', 't')))(lambda x, w: x @ w)",
       .on_mesh = true},
      {.name = "manual-tensor-parallel",
       .args = {normal("8 16"), normal("16 12"), normal("12 16")},
       .build =
           [](Value x, Value w, Value v) {
             return manual({{x, "rows/d cols"}, {w, "cols hidden/t"}, {v, "hidden/t cols"}},
                           {"rows/d cols"}, [](Args p) {
                             Value hidden =
                                 graph::tanh(einsum("row in, in out -> row out", p[0], p[1]));
                             Value partial = einsum("row out, out in -> row in", hidden, p[2]);
                             return std::vector<Value>{all_reduce(partial, {"t"})};
                           });
           },
       .jax = "manual((P('d'), P(None, 't'), P('t')), P('d'))("
              "lambda x, w, v: lax.psum(jnp.tanh(x @ w) @ v, 't'))",
       .on_mesh = true},
      {.name = "constrain",
       .args = {normal("8 16")},
       .build =
           [](Value x) {
             return square(constrain(graph::exp(x), mesh::Sharding{{{"d"}, {"t"}}}));
           },
       .jax = "lambda x: jnp.exp(x)**2",
       .on_mesh = true},
  };
}

}  // namespace

std::vector<Case> manual_cases() {
  return joined({collectives(), formulas(), weights()});
}

}  // namespace meshwright::parity
