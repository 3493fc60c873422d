// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// Small whole numbers as floats or integers: many pairs are equal.
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
      {"add", {normal("b n"), normal("b n")}, add, "jnp.add"},
      {"add-broadcast", {normal("b 1 n"), normal("k 1")}, add, "jnp.add"},
      {"add-integers", {bits("b n"), bits("n")}, add, "jnp.add", false, kIntegers},
      {"add-number", {normal("b n")}, [](Value a) { return 2 + a; }, "lambda a: 2 + a"},
      {"subtract", {normal("b n"), normal("n")}, subtract, "jnp.subtract"},
      {"multiply", {normal("b n"), normal("b 1")}, multiply, "jnp.multiply"},
      {"divide", {normal("b n"), uniform("b n", 0.5, 2)}, divide, "jnp.divide"},
      {"divide-integers",
       {bits("b n"), integers("b n", 1, 9, {})},
       divide,
       "lax.div",
       false,
       kIntegers},
      {"remainder", {uniform("b n", -9, 9), uniform("b n", 1, 3)}, graph::remainder, "lax.rem"},
      {"remainder-integers",
       {bits("b n"), integers("b n", 1, 9, {})},
       graph::remainder,
       "lax.rem",
       false,
       kIntegers},
      {"power", {uniform("b n", 0.3, 2), normal("b n")}, graph::pow, "jnp.power"},
      {"power-at-zero",
       // Not 0^0: there JAX says NaN for the gradient of a float exponent, and 0 for an integer one
       // as we do.
       {integers("b n", 0, 2, std::nullopt), integers("b n", 1, 2, std::nullopt)},
       graph::pow,
       "lax.pow"},
      {"power-integers",
       {integers("b n", -3, 3), integers("b n", 0, 4)},
       graph::pow,
       "jnp.power",
       false,
       {s32}},
      {"maximum", {normal("b n"), normal("b n")}, maximum, "jnp.maximum"},
      {"maximum-ties", {whole("b n"), whole("b n")}, maximum, "jnp.maximum", true, kNumbers},
      {"minimum", {normal("b n"), normal("b n")}, minimum, "jnp.minimum"},
      {"minimum-ties", {whole("b n"), whole("b n")}, minimum, "jnp.minimum", true, kNumbers},
      {"atan2", {normal("b n"), normal("b n")}, graph::atan2, "jnp.arctan2"},
      {"next_after", {whole("b n"), normal("b n")}, next_after, "jnp.nextafter", false},
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
       {booleans("b n"), booleans("b n")},
       logical_and,
       "jnp.logical_and",
       false,
       {f32}},
      {"and-bits", {bits("b n"), bits("b n")}, logical_and, "jnp.bitwise_and", false, kIntegers},
      {"or-boolean",
       {booleans("b n"), booleans("b n")},
       logical_or,
       "jnp.logical_or",
       false,
       {f32}},
      {"or-bits", {bits("b n"), bits("b n")}, logical_or, "jnp.bitwise_or", false, kIntegers},
      {"xor-boolean",
       {booleans("b n"), booleans("b n")},
       logical_xor,
       "jnp.logical_xor",
       false,
       {f32}},
      {"xor-bits", {bits("b n"), bits("b n")}, logical_xor, "jnp.bitwise_xor", false, kIntegers},
      {"shift_left", {bits("b n"), shift("b n")}, shift_left, "lax.shift_left", false, kIntegers},
      {"shift_right_arithmetic",
       {bits("b n"), shift("b n")},
       shift_right_arithmetic,
       "lax.shift_right_arithmetic",
       false,
       kIntegers},
      {"shift_right_logical",
       {bits("b n"), shift("b n")},
       shift_right_logical,
       "lax.shift_right_logical",
       false,
       kIntegers},
      {"equal", {whole("b n"), whole("b n")}, equal, "jnp.equal", false, all},
      {"not_equal", {whole("b n"), whole("b n")}, not_equal, "jnp.not_equal", false, all},
      {"less", {whole("b n"), whole("b n")}, less, "jnp.less", false, all},
      {"less_equal", {whole("b n"), whole("b n")}, less_equal, "jnp.less_equal", false, all},
      {"greater", {whole("b n"), whole("b n")}, greater, "jnp.greater", false, all},
      {"greater_equal",
       {whole("b n"), whole("b n")},
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
