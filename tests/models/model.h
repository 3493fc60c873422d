// SPDX-License-Identifier: Apache-2.0
// Interface of a model for parity tests and benches: parameters, inputs and a loss.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::test_models {

using graph::Value;

/// An f32 parameter with initial values offset +- scale (initial_values()).
struct ParamSpec {
  std::string name;
  Dims dims;
  double scale = 0.1;
  double offset = 0;
  mesh::Sharding sharding = {};
};

/// An input of the loss: floats between -1 and 1, or for `limit` > 0 integers below it.
struct InputSpec {
  std::string name;
  Dims dims;
  int limit = 0;
  mesh::Sharding sharding = {};
};

/// Traced parameters by name.
class Params {
 public:
  Params(std::span<const ParamSpec> specs, std::span<const Value> values);
  /// Throws not_found for an unknown name.
  Value operator[](std::string_view name) const;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

struct Model {
  std::string name;
  std::vector<ParamSpec> params;
  std::vector<InputSpec> inputs;
  /// Returns the loss, a scalar f32.
  std::function<Value(const Params& params, std::span<const Value> inputs)> loss;
};

/// Returns pseudo-random numbers in [-1, 1) that depend on the position of each element and `salt`.
/// Uses integer arithmetic that every implementation reproduces exactly.
Value hashed_uniform(const Dims& dims, std::uint32_t salt);
/// Returns the initial values of all parameters.
std::vector<Value> initial_values(std::span<const ParamSpec> specs);
/// Returns values for the inputs, for the batch with this number.
std::vector<Value> synthetic_inputs(std::span<const InputSpec> specs, std::uint32_t batch);

}  // namespace meshwright::test_models
