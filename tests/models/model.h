// SPDX-License-Identifier: Apache-2.0
// A model as the parity tests and benches see it: parameters, inputs and a loss.
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

/// A parameter: f32, with initial values offset +- scale (initial_values).
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
  /// The loss, a scalar f32.
  std::function<Value(const Params& params, std::span<const Value> inputs)> loss;
};

/// Pseudo-random numbers in [-1, 1) from the position of each element and `salt`, by integer
/// arithmetic that every implementation repeats exactly.
Value hashed_uniform(const Dims& dims, std::uint32_t salt);
/// The initial values of all parameters.
std::vector<Value> initial_values(std::span<const ParamSpec> specs);
/// Values for the inputs, of the batch with this number.
std::vector<Value> synthetic_inputs(std::span<const InputSpec> specs, std::uint32_t batch);

}  // namespace meshwright::test_models
