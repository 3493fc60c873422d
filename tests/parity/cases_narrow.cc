// SPDX-License-Identifier: Apache-2.0
// Dtypes of 4 and 8 bits, which are cast from and to.
#include "case.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

// The gradient is that of a cast, which also passes through the narrow dtype.
Case staircase(const std::string& name, DType dtype, double largest, const std::string& jax) {
  return {"cast-through-" + name,
          {uniform("b n", -largest, largest)},
          [dtype](Value x) { return cast(cast(x, dtype), x.dtype()); },
          "lambda x: x.astype(" + jax + ").astype(x.dtype)"};
}

Case integers_within(const std::string& name, DType dtype, std::int64_t low, std::int64_t high) {
  const std::string jax = "jnp." + std::string(numpy_name(dtype));
  return {"arithmetic-in-" + name,
          {integers("b n", low, high, {}), integers("b n", low, high, {})},
          [dtype](Value x, Value y) {
            Value a = cast(x, dtype);
            Value b = cast(y, dtype);
            return std::vector<Value>{cast(a + b, x.dtype()), cast(maximum(a, b), x.dtype()), a < b,
                                      cast(where(a < b, a, b), x.dtype())};
          },
          "lambda x, y: (lambda a, b: ((a + b).astype(x.dtype), jnp.maximum(a, b).astype(x.dtype), "
          "a < b, jnp.where(a < b, a, b).astype(x.dtype)))(x.astype(" +
              jax + "), y.astype(" + jax + "))",
          false,
          {s32, f32}};
}

}  // namespace

std::vector<Case> narrow_cases() {
  return {
      staircase("f8e4m3fn", DType::f8e4m3fn, 440, "jnp.float8_e4m3fn"),
      staircase("f8e5m2", DType::f8e5m2, 50000, "jnp.float8_e5m2"),
      integers_within("s4", DType::s4, -4, 3),
      integers_within("u4", DType::u4, 0, 7),
      {"dot_general-f8",
       {normal("n k"), normal("m k")},
       [](Value x, Value y) {
         return dot_general(cast(x, DType::f8e4m3fn), cast(y, DType::f8e4m3fn),
                            {.lhs_contract = {1}, .rhs_contract = {1}}, {.out = f32});
       },
       "lambda x, y: lax.dot_general(x.astype(jnp.float8_e4m3fn), y.astype(jnp.float8_e4m3fn), "
       "(((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)",
       false},
  };
}

}  // namespace meshwright::parity
