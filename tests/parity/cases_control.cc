// SPDX-License-Identifier: Apache-2.0
// Ops with bodies, and those that control differentiation.
#include "case.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/while.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

using Values = std::vector<Value>;
using Args = std::span<const Value>;

// x * y, with gradients that are halved and swapped.
Values odd_product(Args args) {
  return custom_gradient(
      args,
      [](Args a) {
        return ForwardResult{{a[0] * a[1]}, {a[0], a[1]}};
      },
      [](Args kept, Args cotangents) {
        return Values{0.5 * cotangents[0] * kept[0], 0.5 * cotangents[0] * kept[1]};
      });
}

constexpr const char* kOddProduct = R"(
(lambda f: (f.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (0.5 * g * kept[0], 0.5 * g * kept[1])),
            f)[1])(jax.custom_vjp(lambda x, y: x * y))
)";

// The predicate comes from outside of the differentiated function, w from outside of the branches.
Values choose(Value predicate, Value x, Value w) {
  return cond(
      predicate,
      [&](Args a) {
        return Values{graph::sin(a[0]) * w, a[0]};
      },
      [&](Args a) {
        return Values{graph::tanh(a[0]), graph::exp(w) * a[0]};
      },
      Values{x});
}

constexpr const char* kChoose = R"(
lambda p, x, w: lax.cond(p, lambda x: (jnp.sin(x) * w, x), lambda x: (jnp.tanh(x), jnp.exp(w) * x), x)
)";

Values one_of_three(Value index, Value x, Value w) {
  return switch_case(index,
                     {[&](Args a) { return Values{graph::sin(a[0]) * w}; },
                      [&](Args a) { return Values{stop_gradient(a[0])}; },
                      [&](Args a) { return Values{graph::tanh(a[0] * w)}; }},
                     Values{x});
}

constexpr const char* kOneOfThree = R"(
lambda i, x, w: lax.switch(i, [lambda x: jnp.sin(x) * w, lax.stop_gradient, lambda x: jnp.tanh(x * w)], x)
)";

// Collatz: the number of steps from each start until all have reached 1.
Values collatz(Value x) {
  auto step = [](Args c) {
    Value even = equal(remainder(c[0], 2), 0);
    Value next = where(even, c[0] / 2, c[0] * 3 + 1);
    Value done = equal(c[0], 1);
    return Values{where(done, c[0], next), c[1] + cast(logical_not(done), s32)};
  };
  auto any = [](Args c) { return reduce_max(c[0], {0}) > 1; };
  return while_loop(any, step, Values{x, x - x});
}

constexpr const char* kCollatz = R"(
lambda x: lax.while_loop(
    lambda c: c[0].max() > 1,
    lambda c: (jnp.where(c[0] == 1, c[0], jnp.where(c[0] % 2 == 0, c[0] // 2, c[0] * 3 + 1)),
               c[1] + jnp.where(c[0] == 1, 0, 1)),
    (x, x - x))
)";

// Condition and body use values from outside.
Value scaled_until(Value x, Value limit) {
  auto more = [&](Args c) { return reduce_max(abs(c[0]), {0}) < reduce_max(abs(limit), {0}) + 4; };
  return while_loop(
      more, [&](Args c) { return Values{c[0] * 2 + sign(x)}; }, Values{x})[0];
}

constexpr const char* kScaledUntil = R"(
lambda x, limit: lax.while_loop(lambda c: jnp.abs(c).max() < jnp.abs(limit).max() + 4,
                                lambda c: c * 2 + jnp.sign(x), x)
)";

}  // namespace

std::vector<Case> control_cases() {
  return {
      {"stop_gradient",
       {normal("b n")},
       [](Value x) { return x * stop_gradient(x); },
       "lambda x: x * lax.stop_gradient(x)"},
      {"save", {normal("b n")}, [](Value x) { return save(x, "x"); }, "lambda x: x"},
      {"custom_gradient", {normal("b n"), normal("b n")}, odd_product, kOddProduct},
      {"remat",
       {normal("b n"), normal("n")},
       [](Args args) {
         return remat(args, [](Args a) { return Values{graph::sin(graph::exp(a[0]) * a[1])}; });
       },
       "jax.checkpoint(lambda x, y: jnp.sin(jnp.exp(x) * y))"},
      {"remat-keeps-saved",
       {normal("b n"), normal("n")},
       [](Args args) {
         return remat(
             args, [](Args a) { return Values{graph::sin(save(graph::exp(a[0]), "e") * a[1])}; },
             keep_saved());
       },
       "jax.checkpoint(lambda x, y: jnp.sin(jnp.exp(x) * y))"},
      {"cond-either", {booleans(""), normal("n"), normal("n")}, choose, kChoose},
      {"cond-of-argument",
       {normal("n"), normal("n")},
       [](Value x, Value w) { return choose(reduce_sum(x, {0}) > 0, x, w); },
       "lambda x, w: (" + std::string(kChoose) + ")(x.sum() > 0, x, w)"},
      {"switch_case", {integers("", -1, 4), normal("n"), normal("n")}, one_of_three, kOneOfThree},
      {"while_loop-integers", {integers("n", 1, 30)}, collatz, kCollatz, false, {f32}},
      {"while_loop-outside", {normal("n"), normal("m")}, scaled_until, kScaledUntil, false},
  };
}

}  // namespace meshwright::parity
