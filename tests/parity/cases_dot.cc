// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/einsum.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

Case einsum_case(std::string name, std::vector<Arg> args, EinsumSpec spec, const std::string& jax) {
  return {std::move(name), std::move(args),
          [spec](std::span<const Value> operands) { return einsum(spec, operands); },
          "lambda *a: jnp.einsum('" + jax + "', *a)"};
}

}  // namespace

std::vector<Case> dot_cases() {
  return {
      {"dot_general",
       {normal("b n k"), normal("k b m")},
       [](Value x, Value y) {
         return dot_general(
             x, y, {.lhs_batch = {0}, .rhs_batch = {1}, .lhs_contract = {2}, .rhs_contract = {0}});
       },
       "lambda x, y: lax.dot_general(x, y, (((2,), (0,)), ((0,), (1,))))"},
      {"dot_general-wide-sum",
       {normal("n k"), normal("m k")},
       [](Value x, Value y) {
         return dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {1}}, {.out = f32});
       },
       "lambda x, y: lax.dot_general(x, y, (((1,), (1,)), ((), ())), "
       "preferred_element_type=jnp.float32)"},
      {"dot_general-integers",
       {integers("n k", -9, 9, {}), integers("k m", -9, 9, {})},
       [](Value x, Value y) {
         return dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {0}});
       },
       "jnp.matmul",
       false,
       {s32}},
      einsum_case("einsum-matmul", {normal("b n"), normal("n m")}, "b n, n m -> b m", "bn,nm->bm"),
      einsum_case("einsum-projection", {normal("b l e"), normal("e h d")},
                  "b l e, e h d -> b l h d", "ble,ehd->blhd"),
      einsum_case("einsum-attention", {normal("b l h d"), normal("b s h d")},
                  "b l h d, b s h d -> b h l s", "blhd,bshd->bhls"),
      einsum_case("einsum-mix", {normal("b h l s"), normal("b s h d")},
                  "b h l s, b s h d -> b l h d", "bhls,bshd->blhd"),
      einsum_case("einsum-grouped-queries", {normal("b l h 2 d"), normal("b s h d")},
                  "b l h q d, b s h d -> b h q l s", "blhqd,bshd->bhqls"),
      einsum_case("einsum-grouped-mix", {normal("b h 2 l s"), normal("b s h d")},
                  "b h q l s, b s h d -> b l h q d", "bhqls,bshd->blhqd"),
      einsum_case("einsum-swapped", {normal("e m"), normal("b e")}, "e m, b e -> b m", "em,be->bm"),
      einsum_case("einsum-orders-differ", {normal("a b c"), normal("c b d")}, "a b c, c b d -> d a",
                  "abc,cbd->da"),
      einsum_case("einsum-scale", {normal("b e"), normal("e")}, "b e, e -> e b", "be,e->eb"),
      einsum_case("einsum-rows", {normal("b l d"), normal("b l d")}, "b l d, b l d -> l b",
                  "bld,bld->lb"),
      einsum_case("einsum-of-three-equal", {normal("a b"), normal("a b"), normal("a b")},
                  "a b, a b, a b -> a", "ab,ab,ab->a"),
      einsum_case("einsum-outer", {normal("n"), normal("m")}, "n, m -> m n", "n,m->mn"),
      einsum_case("einsum-sum-of-one", {normal("a b c")}, "a b c -> c a", "abc->ca"),
      einsum_case("einsum-of-three", {normal("a b"), normal("b c"), normal("c d")},
                  "a b, b c, c d -> a d", "ab,bc,cd->ad"),
  };
}

}  // namespace meshwright::parity
