// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scatter.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

using ScatterFn = Value (*)(Value, Value, Value, IndexDims, ScatterOptions, SourceLoc);

// Windows [1,2,1] of [3,6,5] at places [3,4,2], with dimension 0 of both as a batch dimension.
const IndexDims kWindows{.offset_dims = {1},
                         .collapsed_slice_dims = {2},
                         .operand_batching_dims = {0},
                         .start_indices_batching_dims = {0},
                         .start_index_map = {2, 1},
                         .index_vector_dim = 2};

// Offsets updates from the elements of the array, so that a minimum has no ties or kinks nearby.
constexpr double kBetween = 0.0625;

std::string jax_windows(const std::string& name, const std::string& options) {
  return "lambda x, i, u: lax." + name +
         "(x, i, u + 0.0625, lax.ScatterDimensionNumbers(update_window_dims=(1,), "
         "inserted_window_dims=(2,), operand_batching_dims=(0,), "
         "scatter_indices_batching_dims=(0,), scatter_dims_to_operand_dims=(2, 1)), mode='" +
         options + "')";
}

// JAX's gradients of scatter_min and scatter_max do not clip the indices when they read the results
// back, and are infinite there, so JAX gets clipped indices.
std::string jax_clipped_windows(const std::string& name) {
  return "lambda x, i, u: (" + jax_windows(name, "clip") + ")(x, jnp.clip(i, 0, 4), u)";
}

Case window_case(const std::string& name, ScatterFn fn, OutOfBounds mode) {
  std::string jax_mode = mode == OutOfBounds::clip   ? "clip"
                         : mode == OutOfBounds::fill ? "fill"
                                                     : "promise_in_bounds";
  bool extremum = fn == scatter_min || fn == scatter_max;
  std::int64_t low = mode == OutOfBounds::promise ? 0 : -3;
  std::int64_t high = mode == OutOfBounds::promise ? 4 : 9;
  return {name + "_" + jax_mode,
          {distinct("3 6 5"), integers("3 4 2", low, high), distinct("3 2 4")},
          [=](Value x, Value i, Value updates) {
            return fn(x, i, updates + kBetween, kWindows, {.mode = mode}, SourceLoc::current());
          },
          extremum && mode == OutOfBounds::clip ? jax_clipped_windows(name)
                                                : jax_windows(name, jax_mode)};
}

// Rows 4, 0 and 2 of [5,n].
Value some_rows() {
  return constant(HostTensor::from<std::int32_t>({4, 0, 2}, {3}));
}
const IndexDims kRows{
    .offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1};

Case unique_case(const std::string& name, ScatterFn fn, const std::string& method) {
  return {name + "_unique",
          {normal("5 n"), normal("3 n")},
          [=](Value x, Value updates) {
            return fn(x, some_rows(), updates, kRows, {.unique_indices = true},
                      SourceLoc::current());
          },
          "lambda x, u: x.at[np.array([4, 0, 2])]." + method + "(u, unique_indices=True)"};
}

}  // namespace

std::vector<Case> scatter_cases() {
  std::vector<Case> out;
  for (OutOfBounds mode : {OutOfBounds::clip, OutOfBounds::fill, OutOfBounds::promise}) {
    out.push_back(window_case("scatter", scatter, mode));
    out.push_back(window_case("scatter_add", scatter_add, mode));
    out.push_back(window_case("scatter_min", scatter_min, mode));
    out.push_back(window_case("scatter_max", scatter_max, mode));
    out.push_back(window_case("scatter_mul", scatter_mul, mode));
    out.back().gradient = false;  // JAX has none without unique indices either
  }
  out.push_back(unique_case("scatter", scatter, "set"));
  out.push_back(unique_case("scatter_add", scatter_add, "add"));
  out.push_back(unique_case("scatter_mul", scatter_mul, "multiply"));
  out.push_back(unique_case("scatter_max", scatter_max, "max"));
  out.push_back(
      {"scatter_max_of_equals",
       {integers("6", 0, 2, std::nullopt), integers("20", 0, 5),
        integers("20", 0, 2, std::nullopt)},
       [](Value x, Value i, Value updates) {
         return scatter_max(
             x, i, updates,
             {.collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1});
       },
       "lambda x, i, u: x.at[i].max(u)"});
  out.push_back({"segment_sum",
                 {normal("9 n"), integers("9", -2, 6)},
                 [](Value data, Value ids) { return segment_sum(data, ids, 5); },
                 "lambda x, i: jax.ops.segment_sum(x, i, 5)"});
  out.push_back({"segment_sum_of_nothing",
                 {normal("0 n"), integers("0", -2, 6)},
                 [](Value data, Value ids) { return segment_sum(data, ids, 5); },
                 "lambda x, i: jax.ops.segment_sum(x, i, 5)"});
  out.push_back({"segment_sum_of_two_dimensions",
                 {normal("4 3 n"), integers("4 3", -2, 6)},
                 [](Value data, Value ids) { return segment_sum(data, ids, 5); },
                 "lambda x, i: jax.ops.segment_sum(x.reshape(12, -1), i.reshape(12), 5)"});
  return out;
}

}  // namespace meshwright::parity
