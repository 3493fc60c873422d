// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

std::vector<Case> numbers() {
  auto whole = [](std::string_view sizes) { return integers(sizes, -3, 3, std::nullopt); };
  return {
      {"reduce_sum",
       {normal("b k n")},
       [](Value x) {
         return reduce_sum(x, {0, -1});
       },
       "lambda x: x.sum((0, -1))"},
      {"reduce_sum-kept",
       {normal("b k n")},
       [](Value x) { return reduce_sum(x, {1}, {.keep_dims = true}); },
       "lambda x: x.sum(1, keepdims=True)"},
      {"reduce_sum-wide",
       {normal("b n")},
       [](Value x) { return reduce_sum(x, {1}, {.out = f32}); },
       "lambda x: x.sum(1, dtype=jnp.float32)"},
      {"reduce_sum-integers",
       {integers("b n", -99, 99, std::nullopt)},
       [](Value x) { return reduce_sum(x, {1}); },
       "lambda x: x.sum(1, dtype=x.dtype)",
       false,
       kIntegers},
      {"reduce_prod",
       {uniform("b k n", -2, 2)},
       [](Value x) {
         return reduce_prod(x, {1, 2});
       },
       "lambda x: x.prod((1, 2))",
       true,
       kFloats,
       4},
      {"reduce_prod-with-zeros",
       {whole("b k n")},
       [](Value x) { return reduce_prod(x, {2}); },
       "lambda x: x.prod(2, dtype=x.dtype)",
       true,
       kNumbers},
      {"reduce_max",
       {distinct("b k n")},
       [](Value x) {
         return reduce_max(x, {0, 2});
       },
       "lambda x: x.max((0, 2))"},
      {"reduce_max-nan",
       {normal("b n")},
       [](Value x) {
         return std::vector<Value>{reduce_max(log(x), {1}), reduce_min(log(x), {0})};
       },
       "lambda x: (jnp.max(jnp.log(x), 1), jnp.min(jnp.log(x), 0))",
       false},
      {"reduce_max-ties",
       {whole("b k n")},
       [](Value x) {
         return reduce_max(x, {0, 2});
       },
       "lambda x: x.max((0, 2))",
       true,
       kNumbers},
      {"reduce_min",
       {distinct("b k n")},
       [](Value x) { return reduce_min(x, {1}); },
       "lambda x: x.min(1)"},
      {"reduce_min-unsigned",
       {integers("b n", 0, 99, std::nullopt)},
       [](Value x) { return reduce_min(x, {1}); },
       "lambda x: x.min(1)",
       false,
       kIntegers},
  };
}

std::vector<Case> logic() {
  return {
      {"reduce_and",
       {booleans("b 2")},
       [](Value x) { return reduce_and(x, {1}); },
       "lambda x: x.all(1)",
       false,
       {f32}},
      {"reduce_or",
       {booleans("b 2")},
       [](Value x) { return reduce_or(x, {1}); },
       "lambda x: x.any(1)",
       false,
       {f32}},
      {"reduce_and-bits",
       {integers("b 3", -99, 99, std::nullopt)},
       [](Value x) { return reduce_and(x, {1}); },
       "lambda x: lax.reduce(x, np.array(-1).astype(x.dtype), lax.bitwise_and, (1,))",
       false,
       kIntegers},
      {"reduce_or-bits",
       {integers("b 3", -99, 99, std::nullopt)},
       [](Value x) { return reduce_or(x, {1}); },
       "lambda x: lax.reduce(x, np.array(0, x.dtype), lax.bitwise_or, (1,))",
       false,
       kIntegers},
  };
}

std::vector<Case> positions() {
  auto whole = [](std::string_view sizes) { return integers(sizes, -3, 3, std::nullopt); };
  return {
      {"argmax",
       {whole("b k n")},
       [](Value x) { return argmax(x, 1); },
       "lambda x: lax.argmax(x, 1, jnp.int32)",
       false,
       kNumbers},
      {"argmin",
       {whole("b k n")},
       [](Value x) { return argmin(x, -1); },
       "lambda x: lax.argmin(x, 2, jnp.int32)",
       false,
       kNumbers},
      {"argmax-nan",
       {normal("40 6")},
       [](Value x) {
         return std::vector<Value>{argmax(log(x), 1), argmin(log(x), 1)};
       },
       "lambda x: (lax.argmax(jnp.log(x), 1, np.int32), lax.argmin(jnp.log(x), 1, np.int32))",
       false},
      {"argmax-ties",
       {integers("b 9", 0, 2, std::nullopt)},
       [](Value x) {
         return std::vector<Value>{argmax(x, 1), argmin(x, 1)};
       },
       "lambda x: (lax.argmax(x, 1, np.int32), lax.argmin(x, 1, np.int32))",
       false,
       {f32, s32, u8}},
  };
}

}  // namespace

std::vector<Case> reduce_cases() {
  return joined({numbers(), logic(), positions()});
}

}  // namespace meshwright::parity
