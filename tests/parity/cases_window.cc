// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/window.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

std::vector<Case> running() {
  return {
      {"cumsum",
       {normal("b 9 n")},
       [](Value x) { return cumsum(x, 1); },
       "lambda x: jnp.cumsum(x, 1)"},
      {"cumsum-long",
       {normal("300")},
       [](Value x) { return cumsum(x, 0); },
       "lambda x: jnp.cumsum(x.astype(jnp.float32), 0).astype(x.dtype)",
       true,
       kFloats,
       4},
      {"cumsum-reversed",
       {normal("b 6")},
       [](Value x) { return cumsum(x, -1, {.reverse = true}); },
       "lambda x: lax.cumsum(x, 1, reverse=True)"},
      {"cumsum-exclusive",
       {normal("b 6")},
       [](Value x) {
         return std::vector<Value>{cumsum(x, 1, {.exclusive = true}),
                                   cumsum(x, 1, {.reverse = true, .exclusive = true})};
       },
       "lambda x: (jnp.cumsum(x, 1) - x, lax.cumsum(x, 1, reverse=True) - x)",
       true,
       kFloats,
       4},
      {"cumsum-integers",
       {integers("b n", -99, 99, {})},
       [](Value x) { return cumsum(x, 0); },
       "lambda x: lax.cumsum(x, 0)",
       false,
       {s32}},
      {"cumprod",
       {normal("b 7")},
       [](Value x) { return cumprod(x, -1); },
       "lambda x: lax.cumprod(x, 1)",
       true,
       kFloats,
       4},
      {"cumprod-reversed",
       {normal("6 n")},
       [](Value x) { return cumprod(x, 0, {.reverse = true}); },
       "lambda x: lax.cumprod(x, 0, reverse=True)",
       true,
       kFloats,
       4},
      {"associative_scan",
       {normal("b 5"), normal("b 5")},
       [](Value x, Value y) {
         auto affine = [](std::span<const Value> before, std::span<const Value> after) {
           return std::vector<Value>{before[0] * after[0], after[0] * before[1] + after[1]};
         };
         return associative_scan({x, y}, 1, affine);
       },
       "lambda x, y: lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, y), "
       "axis=1)",
       true,
       kFloats,
       4},
      {"cummax",
       {distinct("b 9")},
       [](Value x) { return cummax(x, 1); },
       "lambda x: lax.cummax(x, 1)"},
      {"cummin",
       {distinct("9 n")},
       [](Value x) { return cummin(x, 0, true); },
       "lambda x: lax.cummin(x, 0, reverse=True)"},
      {"cumlogsumexp",
       {normal("b 6")},
       [](Value x) { return cumlogsumexp(x, 1); },
       "lambda x: lax.cumlogsumexp(x, 1)",
       true,
       kFloats,
       2},
  };
}

// lax.reduce_window with the initial value of its operation.
std::string jax_window(const char* start, const char* op, const char* rest) {
  return std::string("lambda x: lax.reduce_window(x, np.array(") + start + ", x.dtype), lax." + op +
         ", " + rest + ")";
}

std::vector<Case> window_sums() {
  return {
      {"window_sum",
       {normal("b 7 6 n")},
       [](Value x) {
         return window_sum(x, {1, 3, 2, 1}, {.stride = {1, 2, 1, 1}});
       },
       jax_window("0", "add", "(1, 3, 2, 1), (1, 2, 1, 1), 'VALID'")},
      {"window_sum-same",
       {normal("7 6")},
       [](Value x) {
         return window_sum(x, {3, 2}, {.stride = {2, 3}, .padding = PaddingRule::same});
       },
       jax_window("0", "add", "(3, 2), (2, 3), 'SAME'")},
      {"window_sum-dilated",
       {normal("7 6")},
       [](Value x) {
         return window_sum(x, {3, 2},
                           {.stride = {2, 1},
                            .padding = Padding{.low = {2, -1}, .high = {1, 3}},
                            .base_dilation = {2, 1},
                            .window_dilation = {1, 3}});
       },
       jax_window("0", "add", "(3, 2), (2, 1), ((2, 1), (-1, 3)), (2, 1), (1, 3)")},
      {"window_mean",
       {normal("7 6")},
       [](Value x) {
         return std::vector<Value>{
             window_mean(x, {2, 3}, {.padding = PaddingRule::same}),
             window_mean(x, {2, 3}, {.padding = PaddingRule::same}, /*count_padding=*/false)};
       },
       "lambda x: (lambda sums: (sums(x) / 6, sums(x) / sums(jnp.ones_like(x))))("
       "lambda y: lax.reduce_window(y, np.array(0, y.dtype), lax.add, (2, 3), (1, 1), 'SAME'))"},
      {"window_prod",
       {normal("7 6")},
       [](Value x) {
         return window_prod(x, {2, 3},
                            {.stride = {1, 2},
                             .padding = PaddingRule::same,
                             .base_dilation = {2, 1},
                             .window_dilation = {1, 2}});
       },
       jax_window("1", "mul", "(2, 3), (1, 2), 'SAME', (2, 1), (1, 2)"),
       false,
       kNumbers},
  };
}

std::vector<Case> window_logic() {
  return {
      {"window_and",
       {booleans("9 6")},
       [](Value x) {
         return window_and(x, {1, 2}, {.padding = PaddingRule::same});
       },
       jax_window("True", "bitwise_and", "(1, 2), (1, 1), 'SAME'"),
       false,
       {f32}},
      {"window_and-bits",
       {integers("9 6", -99, 99, {})},
       [](Value x) {
         return window_and(x, {3, 2}, {.padding = PaddingRule::same});
       },
       jax_window("-1", "bitwise_and", "(3, 2), (1, 1), 'SAME'"),
       false,
       {s32, DType::s8}},
      {"window_or",
       {booleans("9 6")},
       [](Value x) {
         return window_or(x, {1, 2}, {.stride = {2, 1}});
       },
       jax_window("False", "bitwise_or", "(1, 2), (2, 1), 'VALID'"),
       false,
       {f32}},
      {"window_or-bits",
       {integers("9 6", -99, 99, {})},
       [](Value x) {
         return window_or(x, {3, 2}, {.padding = PaddingRule::same});
       },
       jax_window("0", "bitwise_or", "(3, 2), (1, 1), 'SAME'"),
       false,
       kIntegers},
  };
}

std::vector<Case> window_extrema() {
  return {
      {"window_max",
       {distinct("2 7 6 2")},
       [](Value x) {
         return window_max(x, {1, 2, 2, 1}, {.stride = {1, 2, 2, 1}});
       },
       jax_window("-np.inf", "max", "(1, 2, 2, 1), (1, 2, 2, 1), 'VALID'")},
      {"window_max-overlapping",
       {distinct("7 6")},
       [](Value x) {
         return window_max(x, {3, 3}, {.stride = {1, 2}, .padding = PaddingRule::same});
       },
       jax_window("-np.inf", "max", "(3, 3), (1, 2), 'SAME'")},
      {"window_max-ties",
       {integers("7 6", 0, 2, {})},
       [](Value x) {
         return window_max(x, {2, 3}, {.padding = Padding{.low = {1, 0}, .high = {0, 1}}});
       },
       jax_window("-np.inf", "max", "(2, 3), (1, 1), ((1, 0), (0, 1))")},
      {"window_max-dilated",
       {distinct("9 4")},
       [](Value x) {
         return window_max(x, {3, 2}, {.base_dilation = {1, 2}, .window_dilation = {2, 1}});
       },
       jax_window("-np.inf", "max", "(3, 2), (1, 1), 'VALID', (1, 2), (2, 1)"),
       false},
      {"window_max-base_dilated",
       {distinct("9 4")},
       [](Value x) {
         return window_max(x, {3, 4},
                           {.stride = {2, 1},
                            .padding = Padding{.low = {1, 0}, .high = {0, 2}},
                            .base_dilation = {2, 3}});
       },
       jax_window("-np.inf", "max", "(3, 4), (2, 1), ((1, 0), (0, 2)), (2, 3)")},
      {"window_min",
       {distinct("7 6")},
       [](Value x) {
         return window_min(x, {2, 2}, {.padding = PaddingRule::same_lower});
       },
       jax_window("np.inf", "min", "(2, 2), (1, 1), ((1, 0), (1, 0))")},
  };
}

}  // namespace

std::vector<Case> window_cases() {
  return joined({running(), window_sums(), window_logic(), window_extrema()});
}

}  // namespace meshwright::parity
