// SPDX-License-Identifier: Apache-2.0
// Initial values of parameters, bit-identical to those of jax.nn.initializers for the same key.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/random/key.h"

namespace meshwright::nn {

using graph::Value;

/// Lists of axis names, such as "kv q dim". Axes that are neither inputs, outputs nor batch belong
/// to the window of a convolution and count towards both fans.
struct FanAxes {
  std::string in = {};     // if empty, the second to last
  std::string out = {};    // if empty, the last; with `in`, all but `in` and `batch`
  std::string batch = {};  // independent arrays
};

/// Shape of the drawn array. With a batch of keys, this is the shape of the array for each key.
struct InitShape {
  Dims dims;  // shape of one array
  DType dtype = DType::f32;
  std::vector<std::string> axes = {};  // name of each dimension
  FanAxes fan_axes = {};               // as declared by the parameter
};

/// Returns the initial value of a parameter, of shape key.dims() + shape.dims, as a traced value.
/// Throws invalid_argument if the shape is unsuitable.
using Init = std::function<Value(const graph::random::Key& key, const InitShape& shape)>;

/// Maps parameters to initialisers. In a list, the first matching rule applies.
struct InitRule {
  Regex pattern;
  Init init;
};
using InitRules = std::vector<InitRule>;

Init zeros();
Init ones();
Init constant_init(double value);
/// Normal with mean 0 and this standard deviation.
Init normal(double stddev = 1e-2);
/// Standard normal truncated to [low, high], times `stddev`. The resulting standard deviation is
/// smaller: 0.88 * stddev for -2 and 2.
Init truncated_normal(double stddev = 1e-2, double low = -2, double high = 2);
/// Uniform in [0, scale).
Init uniform(double scale = 1e-2);
enum class Fan { in, out, average, geometric_average };
enum class Distribution { normal, uniform, truncated_normal };

/// Draws with variance scale / fan. If `axes.in` is empty, the axes declared by the parameter
/// apply.
struct VarianceScaling {
  double scale = 1.0;
  Fan fan = Fan::in;
  Distribution distribution = Distribution::truncated_normal;
  FanAxes axes = {};
};
Init variance_scaling(VarianceScaling options);

/// The default for weights: truncated normal with variance scale / (size of these axes). With scale
/// 1, this equals lecun_normal() with these axes as inputs.
Init fan_in(std::string_view axes, double scale = 1.0);

Init lecun_normal(FanAxes axes = {});
Init lecun_uniform(FanAxes axes = {});
Init glorot_normal(FanAxes axes = {});
Init glorot_uniform(FanAxes axes = {});
Init he_normal(FanAxes axes = {});
Init he_uniform(FanAxes axes = {});

}  // namespace meshwright::nn
