// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// Small integers as floats: zeros, negative zeros of a sum, and rounding ties.
Arg whole() {
  return integers(kMany, -3, 3, std::nullopt);
}

std::vector<Case> signs() {
  return {
      {"negate", {normal(kMany)}, [](Value x) { return -x; }, "jnp.negative", true, kNumbers},
      {"abs", {normal(kMany)}, graph::abs, "jnp.abs"},
      {"abs-of-zero", {whole()}, graph::abs, "jnp.abs", true, kNumbers},
      {"sign", {whole()}, sign, "jnp.sign", true, kNumbers},
      {"abs-and-sign-of-integers",
       {integers(kMany, -3, 3, std::nullopt)},
       [](Value x) {
         return std::vector<Value>{graph::abs(x), sign(x)};
       },
       "lambda x: (jnp.abs(x), jnp.sign(x))",
       false,
       kIntegers},
  };
}

std::vector<Case> exponentials() {
  return {
      {"exp", {normal(kMany)}, graph::exp, "jnp.exp"},
      {"expm1", {normal(kMany)}, graph::expm1, "jnp.expm1"},
      {"expm1-near-zero", {uniform(kMany, -1e-3, 1e-3)}, graph::expm1, "jnp.expm1"},
      {"log", {uniform(kMany, 0.1, 5)}, graph::log, "jnp.log"},
      {"log1p", {uniform(kMany, -0.5, 3)}, graph::log1p, "jnp.log1p"},
  };
}

std::vector<Case> powers() {
  return {
      {"sqrt", {uniform(kMany, 0.1, 5)}, graph::sqrt, "jnp.sqrt"},
      {"rsqrt", {uniform(kMany, 0.1, 5)}, rsqrt, "lax.rsqrt"},
      {"cbrt-of-zero", {whole()}, graph::cbrt, "jnp.cbrt", true, {f32}},
      {"cbrt", {uniform(kMany, 0.2, 5)}, graph::cbrt, "jnp.cbrt"},
      {"square", {normal(kMany)}, square, "jnp.square"},
      {"reciprocal", {uniform(kMany, 0.5, 3)}, reciprocal, "jnp.reciprocal"},
  };
}

std::vector<Case> trigonometric() {
  return {
      {"sin", {normal(kMany)}, graph::sin, "jnp.sin"},
      {"cos", {normal(kMany)}, graph::cos, "jnp.cos"},
      {"tan", {uniform(kMany, -1.2, 1.2)}, graph::tan, "jnp.tan"},
      {"asin", {uniform(kMany, -0.9, 0.9)}, graph::asin, "jnp.arcsin"},
      {"acos", {uniform(kMany, -0.9, 0.9)}, graph::acos, "jnp.arccos"},
      {"atan", {uniform(kMany, -9, 9)}, graph::atan, "jnp.arctan"},
      {"atan2-of-one",
       {uniform(kMany, -9, 9)},
       [](Value x) { return atan2(x, 1.0); },
       "jnp.arctan"},
  };
}

std::vector<Case> hyperbolic() {
  return {
      {"sinh", {normal(kMany)}, graph::sinh, "jnp.sinh"},
      {"cosh", {normal(kMany)}, graph::cosh, "jnp.cosh"},
      {"tanh", {normal(kMany)}, graph::tanh, "jnp.tanh"},
      {"asinh", {normal(kMany)}, graph::asinh, "jnp.arcsinh"},
      {"acosh", {uniform(kMany, 1.3, 5)}, graph::acosh, "jnp.arccosh"},
      {"atanh", {uniform(kMany, -0.9, 0.9)}, graph::atanh, "jnp.arctanh"},
  };
}

std::vector<Case> special() {
  return {
      {"logistic", {normal(kMany)}, logistic, "jax.nn.sigmoid"},
      {"erf", {normal(kMany)}, graph::erf, "lax.erf"},
      {"erfc", {normal(kMany)}, graph::erfc, "lax.erfc"},
      {"erf_inv", {uniform(kMany, -0.9, 0.9)}, erf_inv, "lax.erf_inv"},
      {"lgamma", {uniform(kMany, 0.3, 6)}, graph::lgamma, "lax.lgamma"},
      {"digamma", {uniform(kMany, 0.3, 6)}, digamma, "lax.digamma"},
      {"polygamma",
       {uniform(kMany, 0.3, 6)},
       [](Value x) { return polygamma(2, x); },
       "lambda x: lax.polygamma(jnp.full_like(x, 2), x)"},
  };
}

std::vector<Case> rounding() {
  auto halves = [](Value x) { return x * 0.5; };
  return {
      {"floor", {uniform(kMany, -5, 5)}, graph::floor, "jnp.floor"},
      {"ceil", {uniform(kMany, -5, 5)}, graph::ceil, "jnp.ceil"},
      {"round_even",
       {whole()},
       [=](Value x) { return round_even(halves(x)); },
       "lambda x: lax.round(x * 0.5, lax.RoundingMethod.TO_NEAREST_EVEN)"},
      {"round_away",
       {whole()},
       [=](Value x) { return round_away(halves(x)); },
       "lambda x: lax.round(x * 0.5, lax.RoundingMethod.AWAY_FROM_ZERO)"},
      {"is_finite",
       {whole()},
       [](Value x) { return is_finite(1 / x); },
       "lambda x: jnp.isfinite(1 / x)",
       false},
  };
}

std::vector<Case> bits() {
  return {
      {"not-boolean", {booleans(kMany)}, logical_not, "jnp.logical_not", false, {f32}},
      {"not-bits",
       {integers(kMany, -99, 99, {})},
       logical_not,
       "lax.bitwise_not",
       false,
       kIntegers},
      {"popcount",
       {integers(kMany, -99, 99, {})},
       popcount,
       "lax.population_count",
       false,
       kIntegers},
      {"count_leading_zeros",
       {integers(kMany, -99, 99, {})},
       count_leading_zeros,
       "lax.clz",
       false,
       kIntegers},
  };
}

}  // namespace

std::vector<Case> unary_cases() {
  return joined({signs(), exponentials(), powers(), trigonometric(), hyperbolic(), special(),
                 rounding(), bits()});
}

}  // namespace meshwright::parity
