// SPDX-License-Identifier: Apache-2.0
// Initial values of parameters, equal bit by bit to those of jax.nn.initializers for the same key.
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

/// Axes by name, "kv q dim". Those that are neither inputs, outputs nor batch belong to the window
/// of a convolution and count for both fans.
struct FanAxes {
  std::string in = {};     // empty: the last but one
  std::string out = {};    // empty: the last; if `in` is given, all that is not `in` or `batch`
  std::string batch = {};  // independent arrays
};

/// What is drawn: one array, or for a batch of keys one from each.
struct InitShape {
  Dims dims;  // of one array
  DType dtype = DType::f32;
  std::vector<std::string> axes = {};  // the name of each dimension
  FanAxes fan_axes = {};               // as the parameter declares them
};

/// Makes the initial value of a parameter, of shape key.dims() + shape.dims. Traced. Throws
/// invalid_argument where it does not suit the shape.
using Init = std::function<Value(const graph::random::Key& key, const InitShape& shape)>;

/// Of lists of these the first whose pattern matches counts.
struct InitRule {
  Regex pattern;
  Init init;
};
using InitRules = std::vector<InitRule>;

Init zeros();
Init ones();
Init constant_init(double value);
/// Normal, with this standard deviation.
Init normal(double stddev = 1e-2);
/// A draw with standard deviation 1, cut off at low and high, times `stddev`: its own standard
/// deviation is smaller, for -2 and 2 by 0.88.
Init truncated_normal(double stddev = 1e-2, double low = -2, double high = 2);
/// Uniform in [0, scale).
Init uniform(double scale = 1e-2);
enum class Fan { in, out, average, geometric_average };
enum class Distribution { normal, uniform, truncated_normal };

/// A variance of scale / fan. Without `axes.in` the axes are those that the parameter declares.
struct VarianceScaling {
  double scale = 1.0;
  Fan fan = Fan::in;
  Distribution distribution = Distribution::truncated_normal;
  FanAxes axes = {};
};
Init variance_scaling(VarianceScaling options);

/// The usual choice for a weight: variance 1 / (size of these axes), truncated normal; it is
/// lecun_normal with these inputs.
Init fan_in(std::string_view axes, double scale = 1.0);

Init lecun_normal(FanAxes axes = {});
Init lecun_uniform(FanAxes axes = {});
Init glorot_normal(FanAxes axes = {});
Init glorot_uniform(FanAxes axes = {});
Init he_normal(FanAxes axes = {});
Init he_uniform(FanAxes axes = {});

}  // namespace meshwright::nn
