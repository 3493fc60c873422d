// SPDX-License-Identifier: Apache-2.0
#include "models/model.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::test_models {
namespace {

Value hashed_bits(const Dims& dims, std::uint32_t salt) {
  auto number = [](std::uint32_t bits) { return std::int64_t{bits}; };
  Value x = graph::iota(u32, {num_elements(dims)});
  x = x * number(0x9E3779B1u) + number(salt * 0x85EBCA77u);
  x = logical_xor(x, shift_right_logical(x, 15)) * number(0x2C1B3C6Du);
  x = logical_xor(x, shift_right_logical(x, 12)) * number(0x297A2D39u);
  return reshape(logical_xor(x, shift_right_logical(x, 15)), dims);
}

}  // namespace

Params::Params(std::span<const ParamSpec> specs, std::span<const Value> values) {
  MW_CHECK(specs.size() == values.size(), "Params: ", values.size(), " values for ", specs.size(),
           " parameters");
  for (std::size_t i = 0; i < specs.size(); ++i)
    values_.emplace(specs[i].name, values[i]);
}

Value Params::operator[](std::string_view name) const {
  auto place = values_.find(name);
  if (place == values_.end()) fail(ErrorCode::not_found, "no parameter '", name, "'");
  return place->second;
}

Value hashed_uniform(const Dims& dims, std::uint32_t salt) {
  Value fraction = cast(shift_right_logical(hashed_bits(dims, salt), 8), f32);
  return fraction * 0x1p-23 - 1;
}

std::vector<Value> initial_values(std::span<const ParamSpec> specs) {
  std::vector<Value> out;
  for (std::uint32_t i = 0; i < specs.size(); ++i)
    out.push_back(hashed_uniform(specs[i].dims, i) * specs[i].scale + specs[i].offset);
  return out;
}

std::vector<Value> synthetic_inputs(std::span<const InputSpec> specs, std::uint32_t batch) {
  std::vector<Value> out;
  for (const InputSpec& spec : specs) {
    std::uint32_t salt = 1000 + 100 * batch + static_cast<std::uint32_t>(out.size());
    if (spec.limit == 0) {
      out.push_back(hashed_uniform(spec.dims, salt));
    } else {
      Value positive = shift_right_logical(hashed_bits(spec.dims, salt), 1);
      out.push_back(graph::remainder(cast(positive, s32), spec.limit));
    }
  }
  return out;
}

}  // namespace meshwright::test_models
