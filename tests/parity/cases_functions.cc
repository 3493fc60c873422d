// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/functions.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

std::vector<Case> functions_cases() {
  auto whole = [](std::string_view sizes) { return integers(sizes, -3, 3, std::nullopt); };
  return {
      {"mean",
       {normal("b k n")},
       [](Value x) {
         return mean(x, {0, 2});
       },
       "lambda x: x.mean((0, 2))"},
      {"variance", {normal("b n")}, [](Value x) { return variance(x, {1}); }, "lambda x: x.var(1)"},
      {"logsumexp",
       {uniform("b n", -50, 50)},
       [](Value x) { return logsumexp(x, {1}, {.keep_dims = true}); },
       "lambda x: jax.nn.logsumexp(x, 1, keepdims=True)"},
      {"logaddexp", {uniform("b n", -50, 50), uniform("b n", -50, 50)}, logaddexp, "jnp.logaddexp"},
      {"softmax", {normal("b n")}, [](Value x) { return softmax(x, -1); }, "jax.nn.softmax"},
      {"log_softmax",
       {normal("b n")},
       [](Value x) { return log_softmax(x, 0); },
       "lambda x: jax.nn.log_softmax(x, 0)"},
      {"relu", {whole("b n")}, [](Value x) { return relu(x); }, "jax.nn.relu"},
      {"leaky_relu", {normal("b n")}, [](Value x) { return leaky_relu(x); }, "jax.nn.leaky_relu"},
      {"elu", {normal("b n")}, [](Value x) { return elu(x); }, "jax.nn.elu"},
      {"silu", {normal("b n")}, silu, "jax.nn.silu"},
      {"gelu", {normal("b n")}, gelu, "lambda x: jax.nn.gelu(x, approximate=False)"},
      {"gelu_tanh", {normal("b n")}, gelu_tanh, "lambda x: jax.nn.gelu(x, approximate=True)"},
      {"softplus", {uniform("b n", -30, 30)}, softplus, "jax.nn.softplus"},
      {"log_sigmoid", {uniform("b n", -30, 30)}, log_sigmoid, "jax.nn.log_sigmoid"},
  };
}

}  // namespace meshwright::parity
