// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

std::vector<Case> choices() {
  return {
      {"where", {booleans("b n"), normal("b n"), normal("b n")}, graph::where, "jnp.where"},
      {"where-broadcast", {booleans("n"), normal("b 1"), normal("1 n")}, graph::where, "jnp.where"},
      {"where-number",
       {booleans("b n"), normal("b n")},
       [](Value c, Value x) { return graph::where(c, x, -1); },
       "lambda c, x: jnp.where(c, x, -1)"},
      {"clamp", {uniform("b n", -2, 0), normal("b n"), uniform("b n", 0, 2)}, clamp, "lax.clamp"},
      {"clamp-of-equals",  // also if the bounds are equal or swapped
       {integers("b n", -2, 2, std::nullopt), integers("b n", -2, 2, std::nullopt),
        integers("b n", -2, 2, std::nullopt)},
       clamp,
       "lax.clamp",
       true,
       kNumbers},
      {"clamp-numbers",
       {integers("b n", -3, 3, std::nullopt)},
       [](Value x) { return clamp(-1, x, 1); },
       "lambda x: lax.clamp(jnp.full_like(x, -1), x, jnp.full_like(x, 1))",
       true,
       kNumbers},
  };
}

std::vector<Case> casts() {
  auto cast_to = [](DType dtype) { return [dtype](Value x) { return cast(x, dtype); }; };
  return {
      {"cast-to-bf16", {normal("b n")}, cast_to(bf16), "lambda x: x.astype(jnp.bfloat16)"},
      {"cast-to-f32", {normal("b n")}, cast_to(f32), "lambda x: x.astype(jnp.float32)"},
      {"cast-to-f16", {normal("b n")}, cast_to(f16), "lambda x: x.astype(jnp.float16)"},
      {"cast-to-s32",
       {uniform("b n", -9, 9)},
       cast_to(s32),
       "lambda x: x.astype(jnp.int32)",
       false},
      {"cast-to-bool",
       {integers("b n", -1, 1, std::nullopt)},
       cast_to(pred),
       "lambda x: x.astype(bool)",
       false,
       {f32, bf16, s32}},
      {"cast-of-bool",
       {booleans("b n")},
       cast_to(f32),
       "lambda x: x.astype(jnp.float32)",
       false,
       {f32}},
      {"cast-of-s32",
       {integers("b n", -9999, 9999)},
       cast_to(bf16),
       "lambda x: x.astype(jnp.bfloat16)",
       false,
       {f32}},
      {"cast-narrows-bits",
       {integers("b n", -9999, 9999)},
       cast_to(u8),
       "lambda x: x.astype(jnp.uint8)",
       false,
       {f32}},
      {"reduce_precision",
       {normal("b n")},
       [](Value x) { return reduce_precision(x, f16); },
       "lambda x: lax.reduce_precision(x, 5, 10)"},
  };
}

std::vector<Case> bitcasts() {
  auto bitcast_to = [](DType dtype) { return [dtype](Value x) { return bitcast(x, dtype); }; };
  return {
      {"bitcast-to-u32",
       {normal("b n")},
       bitcast_to(u32),
       "lambda x: lax.bitcast_convert_type(x, jnp.uint32)",
       false,
       {f32}},
      {"bitcast-to-s16",
       {normal("b n")},
       bitcast_to(DType::s16),
       "lambda x: lax.bitcast_convert_type(x, jnp.int16)",
       false,
       {bf16}},
      {"bitcast-to-narrower",
       {normal("b n")},
       bitcast_to(u8),
       "lambda x: lax.bitcast_convert_type(x, jnp.uint8)",
       false,
       {f32, bf16, f64, s32}},
      {"bitcast-to-wider",
       {integers("b n 4", -99, 99, {})},
       bitcast_to(f32),
       "lambda x: lax.bitcast_convert_type(x, jnp.float32)",
       false,
       {DType::s8, u8}},
      {"bitcast-there-and-back",
       {normal("2 b")},
       [](Value x) { return bitcast(bitcast(x, DType::s16) + 1, f32); },
       "lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int16) + 1, "
       "jnp.float32)",
       false,
       {f32}},
  };
}

}  // namespace

std::vector<Case> select_cases() {
  return joined({choices(), casts(), bitcasts()});
}

}  // namespace meshwright::parity
