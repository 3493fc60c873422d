// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// Small integers, as floats or integers: many pairs are equal.
Arg whole(std::string_view sizes) {
  return integers(sizes, -2, 2, std::nullopt);
}

Arg bits(std::string_view sizes) {
  return integers(sizes, -99, 99, std::nullopt);
}

Arg shift(std::string_view sizes) {
  return integers(sizes, 0, 7, std::nullopt);
}

std::vector<Case> arithmetic() {
  auto add = [](Value a, Value b) { return a + b; };
  auto subtract = [](Value a, Value b) { return a - b; };
  auto multiply = [](Value a, Value b) { return a * b; };
  auto divide = [](Value a, Value b) { return a / b; };
  return {
      {"add", {normal(kMany), normal(kMany)}, add, "jnp.add"},
      {"add-broadcast", {normal("b 1 many"), normal("3 1")}, add, "jnp.add"},
      {"add-integers", {bits(kMany), bits("many")}, add, "jnp.add", false, kIntegers},
      {"add-number", {normal(kMany)}, [](Value a) { return 2 + a; }, "lambda a: 2 + a"},
      {"subtract", {normal(kMany), normal("many")}, subtract, "jnp.subtract"},
      {"multiply", {normal(kMany), normal("3 1")}, multiply, "jnp.multiply"},
      {"divide", {normal(kMany), uniform(kMany, 0.5, 2)}, divide, "jnp.divide"},
      {"divide-integers",
       {bits(kMany), integers(kMany, 1, 9, {})},
       divide,
       "lax.div",
       false,
       kIntegers},
      {"remainder", {uniform(kMany, -9, 9), uniform(kMany, 1, 3)}, graph::remainder, "lax.rem"},
      {"remainder-integers",
       {bits(kMany), integers(kMany, 1, 9, {})},
       graph::remainder,
       "lax.rem",
       false,
       kIntegers},
      {"power", {uniform(kMany, 0.3, 2), normal(kMany)}, graph::pow, "jnp.power"},
      {"power-at-zero",
       // Excludes 0^0, where JAX's gradient is NaN for a float exponent, and 0 for an integer one,
       // as ours (Power.GradientsAtZeroToTheZeroAreZero).
       {integers(kMany, 0, 2, std::nullopt), integers(kMany, 1, 2, std::nullopt)},
       graph::pow,
       "lax.pow"},
      {"power-at-zero-inverse",
       {integers(kMany, 0, 2, std::nullopt), integers(kMany, -2, -1, std::nullopt)},
       graph::pow,
       "lax.pow"},
      {"power-integers",
       {integers(kMany, -3, 3), integers(kMany, 0, 4)},
       graph::pow,
       "jnp.power",
       false,
       {s32}},
      {"maximum", {normal(kMany), normal(kMany)}, maximum, "jnp.maximum"},
      {"maximum-ties", {whole(kMany), whole(kMany)}, maximum, "jnp.maximum", true, kNumbers},
      {"minimum", {normal(kMany), normal(kMany)}, minimum, "jnp.minimum"},
      {"minimum-ties", {whole(kMany), whole(kMany)}, minimum, "jnp.minimum", true, kNumbers},
      {"atan2", {normal(kMany), normal(kMany)}, graph::atan2, "jnp.arctan2"},
      {"next_after", {whole(kMany), normal(kMany)}, next_after, "jnp.nextafter", false},
  };
}

std::vector<Case> logic() {
  auto less = [](Value a, Value b) { return a < b; };
  auto less_equal = [](Value a, Value b) { return a <= b; };
  auto greater = [](Value a, Value b) { return a > b; };
  auto greater_equal = [](Value a, Value b) { return a >= b; };
  std::vector<DType> all = {f32, bf16, s32, u8};
  return {
      {"and-boolean",
       {booleans(kMany), booleans(kMany)},
       logical_and,
       "jnp.logical_and",
       false,
       {f32}},
      {"and-bits", {bits(kMany), bits(kMany)}, logical_and, "jnp.bitwise_and", false, kIntegers},
      {"or-boolean",
       {booleans(kMany), booleans(kMany)},
       logical_or,
       "jnp.logical_or",
       false,
       {f32}},
      {"or-bits", {bits(kMany), bits(kMany)}, logical_or, "jnp.bitwise_or", false, kIntegers},
      {"xor-boolean",
       {booleans(kMany), booleans(kMany)},
       logical_xor,
       "jnp.logical_xor",
       false,
       {f32}},
      {"xor-bits", {bits(kMany), bits(kMany)}, logical_xor, "jnp.bitwise_xor", false, kIntegers},
      {"shift_left", {bits(kMany), shift(kMany)}, shift_left, "lax.shift_left", false, kIntegers},
      {"shift_right_arithmetic",
       {bits(kMany), shift(kMany)},
       shift_right_arithmetic,
       "lax.shift_right_arithmetic",
       false,
       kIntegers},
      {"shift_right_logical",
       {bits(kMany), shift(kMany)},
       shift_right_logical,
       "lax.shift_right_logical",
       false,
       kIntegers},
      {"equal", {whole(kMany), whole(kMany)}, equal, "jnp.equal", false, all},
      {"not_equal", {whole(kMany), whole(kMany)}, not_equal, "jnp.not_equal", false, all},
      {"less", {whole(kMany), whole(kMany)}, less, "jnp.less", false, all},
      {"less_equal", {whole(kMany), whole(kMany)}, less_equal, "jnp.less_equal", false, all},
      {"greater", {whole(kMany), whole(kMany)}, greater, "jnp.greater", false, all},
      {"greater_equal",
       {whole(kMany), whole(kMany)},
       greater_equal,
       "jnp.greater_equal",
       false,
       all},
  };
}

}  // namespace

std::vector<Case> binary_cases() {
  return joined({arithmetic(), logic()});
}

}  // namespace meshwright::parity
