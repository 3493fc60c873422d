// SPDX-License-Identifier: Apache-2.0
// Axes: token, embed, expert, rank (of an expert among a token's choices), place (in an expert's
// input), mlp.
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/sort.h"
#include "models/layers.h"
#include "models/zoo.h"

namespace meshwright::test_models {
namespace {

using graph::einsum;

constexpr std::int64_t kExperts = 4;
constexpr std::int64_t kCapacity = 6;  // an expert is requested 8 times on average
constexpr std::int64_t kChosen = 2;

// All first choices get places before any second choice. Without a free place, returns a place
// beyond the capacity.
Value places(Value picked) {  // token rank expert
  Value by_rank = transpose(picked, {1, 0, 2});
  Value taken = cumsum(reshape(by_rank, {kChosen * picked.dim(0), kExperts}), 0) - 1;
  Value place = transpose(reshape(taken, by_rank.dims()), {1, 0, 2});
  return cast(reduce_sum(place * picked, {-1}), s32);  // token rank
}

struct Routing {
  Value send, gate;  // token expert place
  Value balance;     // minimal if all experts are requested equally often
};

Routing route(Value logits) {
  Value probs = softmax(logits, -1);
  graph::TopK best = top_k(probs, kChosen);
  Value weights = best.values / reduce_sum(best.values, {-1}, {.keep_dims = true});
  Value picked = one_hot(best.indices, kExperts, f32);        // token rank expert
  Value has_place = one_hot(places(picked), kCapacity, f32);  // token rank place
  Value first = mean(take_index(picked, 1, 0), {0});
  return {.send = einsum("token rank expert, token rank place -> token expert place", picked,
                         has_place),
          .gate = einsum("token rank expert, token rank place, token rank -> token expert place",
                         std::vector{picked, has_place, weights}),
          .balance = kExperts * reduce_sum(first * mean(probs, {0}), {0})};
}

Value loss(DType compute, const Params& p, Value x, Value wanted) {
  auto narrow = [&](Value v) { return cast(v, compute); };
  Routing to = route(einsum("token embed, embed expert -> token expert", x, p["router"]));
  Value received =
      einsum("token expert place, token embed -> expert place embed", narrow(to.send), narrow(x));
  Value hidden = silu(einsum("expert place embed, expert embed mlp -> expert place mlp", received,
                             narrow(p["w_in"])));
  Value done = einsum("expert place mlp, expert mlp embed -> expert place embed", hidden,
                      narrow(p["w_out"]));
  Value y = einsum("token expert place, expert place embed -> token embed", narrow(to.gate), done);
  return mean_of_all(square(cast(y, f32) - wanted)) + 0.01 * to.balance;
}

}  // namespace

Model mixture_of_experts(DType compute) {
  Model model{.name = "mixture_of_experts"};
  model.params = {
      {"router", {16, kExperts}, 0.5},
      {"w_in", {kExperts, 16, 32}, 0.3, 0, {{{"tensor"}}}},
      {"w_out", {kExperts, 32, 16}, 0.3, 0, {{{"tensor"}}}},
  };
  model.inputs = {{"input", {16, 16}, 0, {{{"data"}}}}, {"wanted", {16, 16}, 0, {{{"data"}}}}};
  model.loss = [=](const Params& p, std::span<const Value> in) {
    return loss(compute, p, in[0], in[1]);
  };
  return model;
}

}  // namespace meshwright::test_models
