// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scan.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

using Args = std::span<const Value>;

autodiff::Function scanned(ScanOptions options) {
  return [options](Value init, Value xs, Value w) {
    auto body = [&](Args carry, Args slices) {
      Value next = tanh(carry[0] * w + slices[0]);
      return ScanStep{.carry = {next}, .ys = {sin(next)}};
    };
    ScanResult out = scan(std::vector{init}, std::vector{xs}, body, options);
    return std::vector{out.carry[0], out.ys[0]};
  };
}

std::string jax_scan(std::string_view options) {
  return "lambda init, xs, w: lax.scan(lambda c, x: (jnp.tanh(c * w + x),"
         " jnp.sin(jnp.tanh(c * w + x))), init, xs" +
         std::string(options) + ")";
}

}  // namespace

std::vector<Case> loop_cases() {
  std::vector<Arg> args = {normal("n"), normal("6 n"), normal("n")};
  return {
      {"scan", args, scanned({}), jax_scan("")},
      {"scan-reverse", args, scanned({.reverse = true}), jax_scan(", reverse=True")},
      {"scan-unrolled", args, scanned({.unroll = 6}), jax_scan("")},
      {"scan-integers",
       {integers("n", -5, 5), integers("4 n", -5, 5)},
       [](Value init, Value xs) {
         auto body = [](Args carry, Args slices) {
           return ScanStep{.carry = {carry[0] * slices[0]}, .ys = {carry[0]}};
         };
         ScanResult out = scan(std::vector{init}, std::vector{xs}, body);
         return std::vector{out.carry[0], out.ys[0]};
       },
       "lambda init, xs: lax.scan(lambda c, x: (c * x, c), init, xs)",
       false,
       {f32}},
  };
}

}  // namespace meshwright::parity
