// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "case.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/sort.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// Small integers with NaN for 3 and -0 for 2, and the same in JAX.
Value with_specials(Value x) {
  Value nan = constant(std::numeric_limits<double>::quiet_NaN(), x.dtype(), x.dims());
  return where(equal(x, 3), nan, where(equal(x, 2), -0.0, x));
}
const std::string kWithSpecials = "jnp.where(x == 3, jnp.nan, jnp.where(x == 2, -0.0, x))";

std::vector<Value> both(const TopK& found) {
  return {found.values, found.indices};
}

}  // namespace

std::vector<Case> sort_cases() {
  return {
      {"sort",
       {distinct("b 9 n")},
       [](Value x) { return sort(x, {.dim = 1}); },
       "lambda x: jnp.sort(x, axis=1)"},
      {"sort_descending",
       {distinct("b 9")},
       [](Value x) { return sort(x, {.descending = true}); },
       "lambda x: jnp.sort(x, descending=True)"},
      {"sort_integers",
       {integers("b 9", -5, 5, std::nullopt)},
       [](Value x) { return sort(x); },
       "jnp.sort",
       false,
       kIntegers},
      {"sort_by_two_keys",
       {integers("4 9", -1, 1, std::nullopt), distinct("4 9"), normal("4 9")},
       [](Value a, Value b, Value c) {
         return sort({a, b, c}, {.dim = 1, .num_keys = 2});
       },
       "lambda *a: lax.sort(a, dimension=1, num_keys=2)"},
      {"sort_ties_and_specials_stably",
       {integers("4 30", -3, 3, std::nullopt), integers("4 30", 0, 1000)},
       [](Value x, Value n) {
         return sort({with_specials(x), n}, {});
       },
       "lambda x, n: lax.sort((" + kWithSpecials + ", n), num_keys=1)",
       false},
      {"argsort_ties_and_specials",
       {integers("4 30", -3, 3, std::nullopt)},
       [](Value x) { return argsort(with_specials(x), {.dim = 0}); },
       "lambda x: jnp.argsort(" + kWithSpecials + ", axis=0).astype(jnp.int32)",
       false},
      {"argsort_descending_ties_and_specials",
       {integers("4 30", -3, 3, std::nullopt)},
       [](Value x) { return argsort(with_specials(x), {.descending = true}); },
       "lambda x: jnp.argsort(" + kWithSpecials + ", descending=True).astype(jnp.int32)",
       false},
      {"top_k",
       {distinct("b n 9")},
       [](Value x) { return both(top_k(x, 3)); },
       "lambda x: lax.top_k(x, 3)"},
      {"top_0",
       {distinct("4 9")},
       [](Value x) { return both(top_k(x, 0)); },
       "lambda x: lax.top_k(x, 0)"},
      {"sort_nothing", {distinct("4 0")}, [](Value x) { return sort(x); }, "jnp.sort"},
      {"top_k_along_another_dim",
       {distinct("b 9 n")},
       [](Value x) { return both(top_k(x, 4, 1)); },
       "lambda x: lax.top_k(x, 4, axis=1)"},
      {"top_k_of_ties_and_specials",
       {integers("6 30", -3, 3, std::nullopt)},
       [](Value x) { return both(top_k(with_specials(x), 20)); },
       "lambda x: lax.top_k(" + kWithSpecials + ", 20)",
       false},
      {"top_k_of_integers",
       {integers("6 30", -9, 9, std::nullopt)},
       [](Value x) { return both(top_k(x, 7)); },
       "lambda x: lax.top_k(x, 7)",
       false,
       kIntegers},
  };
}

}  // namespace meshwright::parity
