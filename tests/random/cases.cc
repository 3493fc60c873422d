// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/random/bits.h"
#include "meshwright/graph/random/choice.h"
#include "meshwright/graph/random/sample.h"

namespace meshwright {
namespace {

using namespace graph::random;  // NOLINT(google-build-using-namespace): a table of its functions
using graph::Value;

constexpr DType s8 = DType::s8;
constexpr DType s16 = DType::s16;
constexpr DType u16 = DType::u16;
const Dims kSmall = {4, 6};
const Dims kLarge = {1024, 264};

void add_key_cases(std::vector<Case>& out) {
  out.push_back({"split.3", [](const Key& k) { return key_data(split_batch(k, {3})); }});
  out.push_back({"split.2x3", [](const Key& k) { return key_data(split_batch(k, {2, 3})); }});
  out.push_back({"fold_in.0", [](const Key& k) { return key_data(fold_in(k, 0)); }});
  out.push_back(
      {"fold_in.deadbeef", [](const Key& k) { return key_data(fold_in(k, 0xdeadbeef)); }});
  out.push_back(
      {"fold_in.batch", [](const Key& k) { return key_data(fold_in(k, graph::iota(s32, {5}))); }});
  for (std::int64_t seed :
       {std::int64_t{0}, std::int64_t{42}, std::int64_t{-1}, std::int64_t{4294967295},
        std::int64_t{-2147483648}, std::int64_t{4294967301}, std::int64_t{-1099511627776},
        std::int64_t{9223372036854775807}}) {
    out.push_back({str("key.", seed), [seed](const Key&) { return key_data(key(seed)); }});
  }
}

void add_bits_cases(std::vector<Case>& out, const Dims& dims, const std::string& suffix) {
  for (DType dtype : {u8, u16, u32, u64}) {
    out.push_back({str("bits.", dtype, suffix),
                   [dims, dtype](const Key& k) { return bits(k, dims, dtype); }});
  }
}

void add_float_cases(std::vector<Case>& out,
                     const Dims& dims,
                     const std::string& suffix,
                     const std::vector<DType>& dtypes) {
  for (DType d : dtypes) {
    std::string n = str(".", d, suffix);
    out.push_back({"uniform" + n, [=](const Key& k) { return uniform(k, dims, d); }});
    out.push_back(
        {"uniform_range" + n, [=](const Key& k) { return uniform(k, dims, d, -0.75, 2.5); }});
    out.push_back({"normal" + n, [=](const Key& k) { return normal(k, dims, d); }});
    out.push_back({"truncated_normal" + n,
                   [=](const Key& k) { return truncated_normal(k, -2, 2, dims, d); }});
    out.push_back({"truncated_normal_tail" + n,
                   [=](const Key& k) { return truncated_normal(k, 1.5, 3, dims, d); }});
    out.push_back({"exponential" + n, [=](const Key& k) { return exponential(k, dims, d); }});
    out.push_back({"gumbel" + n, [=](const Key& k) { return gumbel(k, dims, d); }});
  }
  out.push_back({"gumbel_high" + suffix,
                 [=](const Key& k) { return gumbel(k, dims, f32, Resolution::high); }});
  out.push_back({"bernoulli" + suffix, [=](const Key& k) { return bernoulli(k, 0.3, dims); }});
  out.push_back({"bernoulli_high" + suffix,
                 [=](const Key& k) { return bernoulli(k, 0.3, dims, Resolution::high); }});
  out.push_back({"bernoulli_bf16" + suffix,
                 [=](const Key& k) { return bernoulli(k, graph::constant(0.3, bf16), dims); }});
}

void add_integer_cases(std::vector<Case>& out) {
  for (DType d : {s8, s16, s32, s64, u8, u16, u32, u64}) {
    out.push_back({str("randint.", d),
                   [d](const Key& k) { return randint(k, is_signed(d) ? -5 : 5, 90, kSmall, d); }});
  }
  auto add_whole = [&out](DType d, std::int64_t low, std::int64_t high) {
    out.push_back(
        {str("randint_all.", d), [=](const Key& k) { return randint(k, low, high, kSmall, d); }});
  };
  add_whole(s8, -128, 128);
  add_whole(u8, 0, 256);
  add_whole(s32, -2147483648, 2147483648);
  add_whole(u32, 0, 4294967296);
  out.push_back({"randint_top.u32",
                 [](const Key& k) { return randint(k, 4294967286, 4294967296, kSmall, u32); }});
  out.push_back({"randint_empty", [](const Key& k) { return randint(k, 7, 3, kSmall); }});
  out.push_back({"randint_array", [](const Key& k) {
                   Value low = graph::iota(s32, {6}) - 3;
                   Value high = graph::iota(s32, {4, 1}) * 1000 + 10;
                   return randint(k, low, high, kSmall);
                 }});
}

void add_shape_cases(std::vector<Case>& out) {
  out.push_back({"uniform.scalar", [](const Key& k) { return uniform(k, {}); }});
  out.push_back({"normal.batch",
                 [](const Key& k) { return normal(fold_in(k, graph::iota(s32, {3})), kSmall); }});
}

/// Exact fractions, as in the script.
Value logits(const Dims& dims) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < num_elements(dims); ++i)
    values.push_back(static_cast<float>(i * 37 % 64) / 16 - 2);
  return graph::constant(HostTensor::from(values, dims));
}

void add_choice_cases(std::vector<Case>& out) {
  auto add_categorical = [&out](std::string name, const CategoricalOptions& options) {
    out.push_back({std::move(name), [options](const Key& k) {
                     return categorical(k, logits({5, 7}), options);
                   }});
  };
  add_categorical("categorical", {});
  add_categorical("categorical_axis", {.dim = 0});
  add_categorical("categorical_shape", {.dim = 1, .dims = Dims{3, 2, 5}});
  add_categorical("categorical_high", {.resolution = Resolution::high});
  out.push_back({"permutation", [](const Key& k) { return permutation(k, 50); }});
  out.push_back({"permutation.large", [](const Key& k) { return permutation(k, 5000); }});
  out.push_back({"permutation_axis", [](const Key& k) {
                   return permutation(k, logits({6, 8}), 1);
                 }});
  out.push_back({"permutation_independent", [](const Key& k) {
                   return independent_permutation(k, logits({6, 8}), 1);
                 }});
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> out;
  add_key_cases(out);
  add_bits_cases(out, kSmall, "");
  add_bits_cases(out, kLarge, ".large");
  add_float_cases(out, kSmall, "", {f16, bf16, f32, f64});
  add_float_cases(out, kLarge, ".large", {f16, bf16, f32});
  add_integer_cases(out);
  add_shape_cases(out);
  add_choice_cases(out);
  return out;
}

}  // namespace meshwright
