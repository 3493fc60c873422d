// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// Windows [1,2,1] of [3,6,5] at places [3,4,2], with dimension 0 of both as a batch dimension.
Value windows(Value x, Value places, GatherOptions options) {
  IndexDims dims{.offset_dims = {1},
                 .collapsed_slice_dims = {2},
                 .operand_batching_dims = {0},
                 .start_indices_batching_dims = {0},
                 .start_index_map = {2, 1},
                 .index_vector_dim = 2};
  return gather(x, places, dims, {1, 2, 1}, options);
}

std::string jax_windows(const std::string& options) {
  return "lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers(offset_dims=(1,), "
         "collapsed_slice_dims=(2,), operand_batching_dims=(0,), "
         "start_indices_batching_dims=(0,), start_index_map=(2, 1)), (1, 2, 1), " +
         options + ")";
}

Case window_case(std::string name, Arg places, GatherOptions options, const std::string& jax) {
  return {std::move(name),
          {normal("3 6 5"), std::move(places)},
          [=](Value x, Value i) { return windows(x, i, options); },
          jax_windows(jax)};
}

}  // namespace

std::vector<Case> gather_cases() {
  const GatherOptions clip{.mode = OutOfBounds::clip};
  const GatherOptions zeros{.fill_value = 0};
  return {
      window_case("gather_clips", integers("3 4 2", -3, 9), clip, "mode='clip'"),
      window_case("gather_fills", integers("3 4 2", -3, 9), {.fill_value = 2.5},
                  "mode='fill', fill_value=2.5"),
      window_case("gather_of_unsigned_indices", integers("3 4 2", 0, 9, u8), {.fill_value = 2.5},
                  "mode='fill', fill_value=2.5"),
      window_case("gather_promises", integers("3 4 2", 0, 4), {.mode = OutOfBounds::promise},
                  "mode='promise_in_bounds'"),
      {"gather_with_vectors_in_front",
       {normal("6 5"), integers("2 3", 0, 6)},
       [](Value x, Value i) {
         return gather(x, i, {.offset_dims = {0, 1}, .start_index_map = {1, 0}}, {2, 3},
                       {.mode = OutOfBounds::clip});
       },
       "lambda x, i: lax.gather(x, i.T, lax.GatherDimensionNumbers(offset_dims=(0, 1), "
       "collapsed_slice_dims=(), start_index_map=(1, 0)), (2, 3), mode='clip')"},
      {"gather_of_nan",
       {normal("5"), integers("8", -3, 9)},
       [](Value x, Value i) {
         return gather(x, i,
                       {.collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1},
                       {1});
       },
       "lambda x, i: lax.gather(x, i[:, None], lax.GatherDimensionNumbers(offset_dims=(), "
       "collapsed_slice_dims=(0,), start_index_map=(0,)), (1,), mode='fill')"},
      {"take_rows",
       {normal("7 n"), integers("b k", -7, 6)},
       [](Value x, Value i) { return take(x, i); },
       "lambda x, i: jnp.take(x, i, axis=0)"},
      {"take_fills",
       {normal("b 7 n"), integers("k 2", -20, 20)},
       [=](Value x, Value i) { return take(x, i, 1, zeros); },
       "lambda x, i: jnp.take(x, i, axis=1, fill_value=0)"},
      {"take_clips",
       {normal("b 7 n"), integers("k 2", -20, 20)},
       [=](Value x, Value i) { return take(x, i, -2, clip); },
       "lambda x, i: jnp.take(x, i, axis=1, mode='clip')"},
      {"take_with_narrow_indices",
       {normal("200 2"), integers("9", -128, 127, DType::s8)},
       [](Value x, Value i) { return take(x, i); },
       "lambda x, i: jnp.take(x, i.astype(jnp.int32), axis=0)"},
      {"take_integers",
       {integers("7 n", -100, 100, std::nullopt), integers("k 2", -20, 20)},
       [](Value x, Value i) { return take(x, i); },
       "lambda x, i: jnp.take(x, i, axis=0)",
       false,
       kIntegers},
      {"take_along_dim",
       {normal("b 7 n"), integers("b 4 n", -7, 6)},
       [](Value x, Value i) { return take_along_dim(x, i, 1); },
       "lambda x, i: jnp.take_along_axis(x, i, axis=1)"},
      {"take_along_dim_repeats_indices",
       {normal("3 7 4"), integers("3 5 1", -20, 20)},
       [=](Value x, Value i) { return take_along_dim(x, i, 1, zeros); },
       "lambda x, i: jnp.take_along_axis(x, i, axis=1, fill_value=0)"},
      {"take_along_dim_repeats_the_array",
       {normal("1 7 4"), integers("3 5 4", -20, 20)},
       [=](Value x, Value i) { return take_along_dim(x, i, 1, clip); },
       "lambda x, i: jnp.take_along_axis(x, i, axis=1, mode='clip')"},
      {"take_along_last_dim",
       {normal("b n 6"), integers("b n 2", 0, 5)},
       [](Value x, Value i) { return take_along_dim(x, i, -1, {.mode = OutOfBounds::promise}); },
       "lambda x, i: jnp.take_along_axis(x, i, axis=-1, mode='promise_in_bounds')"},
      {"take_nothing",
       {normal("7 n"), integers("0", 0, 6)},
       [](Value x, Value i) { return take(x, i); },
       "lambda x, i: jnp.take(x, i, axis=0)"},
      {"one_hot",
       {normal("b k 5"), integers("b k", -2, 7)},
       [](Value x, Value i) { return x * one_hot(i, 5, x.dtype()); },
       "lambda x, i: x * jax.nn.one_hot(i, 5, dtype=x.dtype)"},
      {"one_hot_in_front",
       {normal("5 b k"), integers("b k", -2, 7)},
       [](Value x, Value i) { return x * one_hot(i, 5, x.dtype(), 0); },
       "lambda x, i: x * jax.nn.one_hot(i, 5, dtype=x.dtype, axis=0)"},
  };
}

}  // namespace meshwright::parity
