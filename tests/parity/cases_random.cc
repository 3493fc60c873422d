// SPDX-License-Identifier: Apache-2.0
// A sample of each source of random bits; tests/random compares all functions with JAX bit by bit.
#include "case.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright::parity {

namespace random = graph::random;

namespace {

Case drawn(std::string name,
           std::function<Value(const random::Key&)> draw,
           const std::string& jax) {
  return {
      .name = std::move(name),
      .args = {integers("2", 0, 1 << 30, u32)},
      .build = [draw = std::move(draw)](Value words) { return draw(random::wrap_key_data(words)); },
      .jax = "lambda k: " + jax,
      .gradient = false,
      .dtypes = {f32}};
}

}  // namespace

std::vector<Case> random_cases() {
  return {
      drawn(
          "random-bits",
          [](const random::Key& key) {
            return random::bits(key, {3, 5});
          },
          "jax.random.bits(jax.random.wrap_key_data(k), (3, 5), jnp.uint32)"),
      drawn(
          "random-normal",
          [](const random::Key& key) {
            return random::normal(key, {7, 3});
          },
          "jax.random.normal(jax.random.wrap_key_data(k), (7, 3), jnp.float32)"),
      drawn(
          "random-fold_in-split",
          [](const random::Key& key) {
            return random::key_data(random::split(random::fold_in(key, 17))[1]);
          },
          "jax.random.key_data(jax.random.split(jax.random.fold_in("
          "jax.random.wrap_key_data(k), 17))[1])"),
      {"rng_bit_generator",
       {integers("4", 0, 1 << 30, u32)},
       [](Value words) {
         return random::bits(random::wrap_key_data(words, random::KeyKind::rbg), {3, 5});
       },
       "lambda k: jax.random.bits(jax.random.wrap_key_data(k, impl='rbg'), (3, 5), jnp.uint32)",
       false,
       {f32}},
  };
}

}  // namespace meshwright::parity
