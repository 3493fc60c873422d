// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

std::vector<Case> whole_arrays() {
  return {
      {"reshape",
       {normal("b 6 n")},
       [](Value x) {
         return reshape(x, {x.dim(0) * 2, 3, x.dim(2)});
       },
       "lambda x: x.reshape(x.shape[0] * 2, 3, x.shape[2])"},
      {"transpose",
       {normal("b k n")},
       [](Value x) {
         return transpose(x, {2, 0, 1});
       },
       "lambda x: x.transpose(2, 0, 1)"},
      {"swap_dims",
       {normal("b k n m")},
       [](Value x) { return swap_dims(x, 1, -1); },
       "lambda x: x.swapaxes(1, -1)"},
      {"reverse",
       {normal("b k n")},
       [](Value x) {
         return reverse(x, {0, 2});
       },
       "lambda x: jnp.flip(x, (0, 2))"},
      {"concatenate",
       {normal("b k n"), normal("b m n"), normal("b 1 n")},
       [](Value x, Value y, Value z) {
         return concatenate({x, y, z}, 1);
       },
       "lambda *a: jnp.concatenate(a, 1)"},
      {"concatenate-itself",
       {normal("b n")},
       [](Value x) {
         return concatenate({x, x}, -1);
       },
       "lambda x: jnp.concatenate([x, x], -1)"},
      {"stack",
       {normal("b n"), normal("b n")},
       [](Value x, Value y) {
         return stack({x, y}, 1);
       },
       "lambda *a: jnp.stack(a, 1)"},
      {"pad",
       {normal("b n"), normal("")},
       [](Value x, Value fill) {
         return pad(x, fill, {.low = {1, 0}, .high = {2, 3}});
       },
       "lambda x, fill: lax.pad(x, fill, [(1, 2, 0), (0, 3, 0)])"},
      {"pad-cuts-and-spreads",
       {normal("6 n")},
       [](Value x) {
         return pad(x, 2, {.low = {-1, 1}, .high = {-2, 0}, .interior = {1, 2}});
       },
       "lambda x: lax.pad(x, jnp.array(2, x.dtype), [(-1, -2, 1), (1, 0, 2)])"},
      {"iota",
       {normal("b n")},
       [](Value x) { return x * iota(x.dtype(), x.dims(), 1); },
       "lambda x: x * lax.broadcasted_iota(x.dtype, x.shape, 1)"},
      {"flatten",
       {normal("b k n m")},
       [](Value x) { return flatten(x, 1, 2); },
       "lambda x: x.reshape(x.shape[0], -1, x.shape[3])"},
      {"expand_dims",
       {normal("b n")},
       [](Value x) {
         return expand_dims(x, {0, 2});
       },
       "lambda x: jnp.expand_dims(x, (0, 2))"},
      {"squeeze",
       {normal("1 n 1")},
       [](Value x) {
         return squeeze(x, {0, 2});
       },
       "jnp.squeeze"},
  };
}

std::vector<Case> parts() {
  return {
      {"slice",
       {normal("7 5 n")},
       [](Value x) {
         return slice(x, {1, 0, 0}, {6, 5, x.dim(2)}, {2, 3, 1});
       },
       "lambda x: x[1:6:2, 0:5:3]"},
      {"take_slice",
       {normal("b 6")},
       [](Value x) { return take_slice(x, 1, 1, -1); },
       "lambda x: x[:, 1:-1]"},
      {"take_index",
       {normal("b 4 n")},
       [](Value x) { return take_index(x, 1, -2); },
       "lambda x: x[:, -2]"},
      {"split",
       {normal("b 6")},
       [](Value x) {
         return split(x, 1, {1, 3, 2});
       },
       "lambda x: jnp.split(x, [1, 4], 1)"},
      {"dynamic_slice",
       {normal("7 5"), integers("", -2, 9), integers("", 0, 2)},
       [](Value x, Value i, Value j) {
         return dynamic_slice(x, {i, j}, {3, 2});
       },
       // Unlike jnp, the op clips a negative start to 0 instead of counting from the end.
       "lambda x, i, j: lax.dynamic_slice(x, (jnp.maximum(i, 0), j), (3, 2))"},
      {"dynamic_update_slice",
       {normal("7 5"), normal("3 2"), integers("", 0, 9), integers("", 0, 5)},
       [](Value x, Value u, Value i, Value j) {
         return dynamic_update_slice(x, u, {i, j});
       },
       "lambda x, u, i, j: lax.dynamic_update_slice(x, u, (i, j))"},
      {"dynamic_slice_in_dim",
       {normal("b 6"), integers("", 0, 5)},
       [](Value x, Value i) { return dynamic_slice_in_dim(x, 1, i, 2); },
       "lambda x, i: lax.dynamic_slice_in_dim(x, i, 2, 1)"},
      {"dynamic_update_slice_in_dim",
       {normal("b 6"), normal("b 2"), integers("", 0, 5)},
       [](Value x, Value u, Value i) { return dynamic_update_slice_in_dim(x, u, 1, i); },
       "lambda x, u, i: lax.dynamic_update_slice_in_dim(x, u, i, 1)"},
      {"slice-misses-the-end",
       {normal("9 5")},
       [](Value x) {
         return slice(x, {1, 0}, {9, 5}, {3, 4});
       },
       "lambda x: x[1:9:3, ::4]"},
      {"slice-of-nothing",
       {normal("9 5")},
       [](Value x) {
         return slice(x, {4, 0}, {4, 5}, {3, 4});
       },
       "lambda x: x[4:4:3, ::4]"},
      {"pad-nothing",
       {normal("0 3"), normal("")},
       [](Value x, Value fill) {
         return pad(x, fill, {.low = {2, 0}, .high = {1, 0}, .interior = {3, 0}});
       },
       "lambda x, fill: lax.pad(x, fill, [(2, 1, 3), (0, 0, 0)])"},
      {"optimization_barrier-of-integers-too",
       {normal("b n"), normal("k"), integers("k", 0, 9)},
       [](Value x, Value y, Value n) {
         auto held = optimization_barrier({x, y, n});
         return std::vector<Value>{held[0] * 2, held[1], held[2]};
       },
       "lambda x, y, n: (lambda h: (h[0] * 2, h[1], h[2]))(lax.optimization_barrier((x, y, n)))"},
  };
}

}  // namespace

std::vector<Case> shape_cases() {
  return joined({whole_arrays(), parts()});
}

}  // namespace meshwright::parity
