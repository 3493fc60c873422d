// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

// A table. NOLINTNEXTLINE(readability-function-size)
std::vector<Case> unary_cases() {
  // Small whole numbers as floats: zeros, negative zeros of a sum and ties of rounding.
  auto whole = [](std::string_view sizes) { return integers(sizes, -3, 3, std::nullopt); };
  auto halves = [](Value x) { return x * 0.5; };
  return {
      {"negate", {normal("b n")}, [](Value x) { return -x; }, "jnp.negative", true, kNumbers},
      {"abs", {normal("b n")}, graph::abs, "jnp.abs"},
      {"abs-of-zero", {whole("b n")}, graph::abs, "jnp.abs", true, kNumbers},
      {"sign", {whole("b n")}, sign, "jnp.sign", true, kNumbers},
      {"abs-and-sign-of-integers",
       {integers("b n", -3, 3, std::nullopt)},
       [](Value x) {
         return std::vector<Value>{graph::abs(x), sign(x)};
       },
       "lambda x: (jnp.abs(x), jnp.sign(x))",
       false,
       kIntegers},
      {"exp", {normal("b n")}, graph::exp, "jnp.exp"},
      {"expm1", {normal("b n")}, graph::expm1, "jnp.expm1"},
      {"expm1-near-zero", {uniform("b n", -1e-3, 1e-3)}, graph::expm1, "jnp.expm1"},
      {"log", {uniform("b n", 0.1, 5)}, graph::log, "jnp.log"},
      {"log1p", {uniform("b n", -0.5, 3)}, graph::log1p, "jnp.log1p"},
      {"sqrt", {uniform("b n", 0.1, 5)}, graph::sqrt, "jnp.sqrt"},
      {"rsqrt", {uniform("b n", 0.1, 5)}, rsqrt, "lax.rsqrt"},
      {"cbrt-of-zero", {whole("b n")}, graph::cbrt, "jnp.cbrt", true, {f32}},
      {"cbrt", {uniform("b n", 0.2, 5)}, graph::cbrt, "jnp.cbrt"},
      {"square", {normal("b n")}, square, "jnp.square"},
      {"reciprocal", {uniform("b n", 0.5, 3)}, reciprocal, "jnp.reciprocal"},
      {"sin", {normal("b n")}, graph::sin, "jnp.sin"},
      {"cos", {normal("b n")}, graph::cos, "jnp.cos"},
      {"tan", {uniform("b n", -1.2, 1.2)}, graph::tan, "jnp.tan"},
      {"asin", {uniform("b n", -0.9, 0.9)}, graph::asin, "jnp.arcsin"},
      {"acos", {uniform("b n", -0.9, 0.9)}, graph::acos, "jnp.arccos"},
      {"atan", {normal("b n")}, graph::atan, "jnp.arctan"},
      {"atan-of-many", {uniform("1003", -9, 9)}, graph::atan, "jnp.arctan"},
      {"atan2-of-many-and-one",
       {uniform("1003", -9, 9)},
       [](Value x) { return atan2(x, 1.0); },
       "jnp.arctan"},
      {"sinh", {normal("b n")}, graph::sinh, "jnp.sinh"},
      {"cosh", {normal("b n")}, graph::cosh, "jnp.cosh"},
      {"tanh", {normal("b n")}, graph::tanh, "jnp.tanh"},
      {"asinh", {normal("b n")}, graph::asinh, "jnp.arcsinh"},
      {"acosh", {uniform("b n", 1.3, 5)}, graph::acosh, "jnp.arccosh"},
      {"atanh", {uniform("b n", -0.9, 0.9)}, graph::atanh, "jnp.arctanh"},
      {"logistic", {normal("b n")}, logistic, "jax.nn.sigmoid"},
      {"erf", {normal("b n")}, graph::erf, "lax.erf"},
      {"erfc", {normal("b n")}, graph::erfc, "lax.erfc"},
      {"erf_inv", {uniform("b n", -0.9, 0.9)}, erf_inv, "lax.erf_inv"},
      {"lgamma", {uniform("b n", 0.3, 6)}, graph::lgamma, "lax.lgamma"},
      {"digamma", {uniform("b n", 0.3, 6)}, digamma, "lax.digamma"},
      {"polygamma",
       {uniform("b n", 0.3, 6)},
       [](Value x) { return polygamma(2, x); },
       "lambda x: lax.polygamma(jnp.full_like(x, 2), x)"},
      {"floor", {uniform("b n", -5, 5)}, graph::floor, "jnp.floor"},
      {"ceil", {uniform("b n", -5, 5)}, graph::ceil, "jnp.ceil"},
      {"round_even",
       {whole("b n")},
       [=](Value x) { return round_even(halves(x)); },
       "lambda x: lax.round(x * 0.5, lax.RoundingMethod.TO_NEAREST_EVEN)"},
      {"round_away",
       {whole("b n")},
       [=](Value x) { return round_away(halves(x)); },
       "lambda x: lax.round(x * 0.5, lax.RoundingMethod.AWAY_FROM_ZERO)"},
      {"is_finite",
       {whole("b n")},
       [](Value x) { return is_finite(1 / x); },
       "lambda x: jnp.isfinite(1 / x)",
       false},
      {"not-boolean", {booleans("b n")}, logical_not, "jnp.logical_not", false, {f32}},
      {"not-bits",
       {integers("b n", -99, 99, {})},
       logical_not,
       "lax.bitwise_not",
       false,
       kIntegers},
      {"popcount",
       {integers("b n", -99, 99, {})},
       popcount,
       "lax.population_count",
       false,
       kIntegers},
      {"count_leading_zeros",
       {integers("b n", -99, 99, {})},
       count_leading_zeros,
       "lax.clz",
       false,
       kIntegers},
  };
}

}  // namespace meshwright::parity
