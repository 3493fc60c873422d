// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

std::vector<Case> basic_cases() {
  HostTensor table = HostTensor::from<float>({1.5F, -2, 0.1F, 4, 1e-8F, 7e8F}, {2, 3});
  return {
      {"constant",
       {normal("2 3")},
       [table](Value x) { return x + cast(constant(table), x.dtype()); },
       "lambda x: x + jnp.array([[1.5, -2, 0.1], [4, 1e-8, 7e8]], jnp.float32).astype(x.dtype)"},
      {"constant-number",
       {normal("b n")},
       [](Value x) { return x * constant(1.0 / 3, x.dtype(), x.dims()); },
       "lambda x: x * jnp.asarray(1 / 3, x.dtype)"},
      {"broadcast_in_dim",
       {normal("k 1")},
       [](Value x) {
         return broadcast_in_dim(x, {3, x.dim(0), 4}, {1, 2});
       },
       "lambda x: lax.broadcast_in_dim(x, (3, x.shape[0], 4), (1, 2))"},
      {"broadcast_to",
       {normal("1 n")},
       [](Value x) {
         return broadcast_to(x, {2, 3, x.dim(1)});
       },
       "lambda x: jnp.broadcast_to(x, (2, 3, x.shape[1]))"},
      {"optimization_barrier",
       {normal("b n"), normal("k")},
       [](Value x, Value y) {
         return optimization_barrier({x, y});
       },
       "lambda *a: lax.optimization_barrier(a)"},
  };
}

}  // namespace meshwright::parity
