// SPDX-License-Identifier: Apache-2.0
// Operations follow the order of JAX, since any other order would round differently.
#include "meshwright/nn/init.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::nn {

using graph::constant;
using graph::random::Key;

namespace {

// The standard deviation of a normal distribution truncated to [-2, 2].
constexpr double kTruncatedStddev = .87962566103423978;

Dims drawn_dims(const Key& key, const InitShape& shape) {
  Dims dims = key.dims();
  dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
  return dims;
}

Init filled(double value) {
  return [value](const Key& key, const InitShape& shape) {
    return constant(value, shape.dtype, drawn_dims(key, shape));
  };
}

bool names(const std::string& axes, const std::string& axis) {
  return axis_spec::contains(axes, axis);
}

void check_axes(const std::string& axes, const InitShape& shape) {
  for (std::string_view name : AxisSpec::parse(axes).names()) {
    MW_CHECK(std::find(shape.axes.begin(), shape.axes.end(), name) != shape.axes.end(),
             "initialiser: the parameter has no axis '", name, "', only '", join(shape.axes, " "),
             "'");
  }
}

struct Fans {
  double in, out;
};

Fans fans_by_position(const InitShape& shape) {
  MW_CHECK(shape.dims.size() >= 2, "initialiser: cannot determine the fans of shape ", shape.dims,
           "\nname the input axes, as in nn::fan_in(\"embed\")");
  auto total = static_cast<double>(num_elements(shape.dims));
  auto in = static_cast<double>(shape.dims[shape.dims.size() - 2]);
  auto out = static_cast<double>(shape.dims.back());
  double window = total / in / out;
  return {in * window, out * window};
}

Fans fans_of(const InitShape& shape, const FanAxes& given) {
  const FanAxes& axes = given.in.empty() ? shape.fan_axes : given;
  if (axes.in.empty()) return fans_by_position(shape);
  for (const std::string* list : {&axes.in, &axes.out, &axes.batch})
    check_axes(*list, shape);
  double in = 1, out = 1, window = 1;
  for (std::size_t i = 0; i < shape.dims.size(); ++i) {
    auto size = static_cast<double>(shape.dims[i]);
    const std::string& axis = shape.axes[i];
    if (names(axes.in, axis)) {
      in *= size;
    } else if (names(axes.out, axis)) {
      out *= size;
    } else if (!names(axes.batch, axis)) {
      (axes.out.empty() ? out : window) *= size;
    }
  }
  return {in * window, out * window};
}

double denominator(const Fans& fans, Fan fan) {
  switch (fan) {
    case Fan::in:
      return fans.in;
    case Fan::out:
      return fans.out;
    case Fan::average:
      return (fans.in + fans.out) / 2;
    case Fan::geometric_average:
      return std::sqrt(fans.in * fans.out);
  }
  return fans.in;
}

Init scaled(double scale, Fan fan, Distribution distribution, FanAxes axes) {
  return variance_scaling(
      {.scale = scale, .fan = fan, .distribution = distribution, .axes = std::move(axes)});
}

}  // namespace

Init zeros() {
  return filled(0);
}

Init ones() {
  return filled(1);
}

Init constant_init(double value) {
  return filled(value);
}

Init normal(double stddev) {
  return [stddev](const Key& key, const InitShape& shape) {
    return graph::random::normal(key, shape.dims, shape.dtype) * stddev;
  };
}

Init truncated_normal(double stddev, double low, double high) {
  return [=](const Key& key, const InitShape& shape) {
    return graph::random::truncated_normal(key, low, high, shape.dims, shape.dtype) * stddev;
  };
}

Init uniform(double scale) {
  return [scale](const Key& key, const InitShape& shape) {
    return graph::random::uniform(key, shape.dims, shape.dtype) * scale;
  };
}

Init variance_scaling(VarianceScaling options) {
  return [options = std::move(options)](const Key& key, const InitShape& shape) {
    double fan = denominator(fans_of(shape, options.axes), options.fan);
    Value variance = constant(options.scale / fan, shape.dtype);
    switch (options.distribution) {
      case Distribution::normal:
        return graph::random::normal(key, shape.dims, shape.dtype) * sqrt(variance);
      case Distribution::uniform:
        return graph::random::uniform(key, shape.dims, shape.dtype, -1) * sqrt(3 * variance);
      case Distribution::truncated_normal:
        break;
    }
    Value stddev = sqrt(variance) / constant(kTruncatedStddev, shape.dtype);
    return graph::random::truncated_normal(key, -2, 2, shape.dims, shape.dtype) * stddev;
  };
}

Init fan_in(std::string_view axes, double scale) {
  return scaled(scale, Fan::in, Distribution::truncated_normal, {.in = std::string(axes)});
}

Init lecun_normal(FanAxes axes) {
  return scaled(1, Fan::in, Distribution::truncated_normal, std::move(axes));
}
Init lecun_uniform(FanAxes axes) {
  return scaled(1, Fan::in, Distribution::uniform, std::move(axes));
}
Init glorot_normal(FanAxes axes) {
  return scaled(1, Fan::average, Distribution::truncated_normal, std::move(axes));
}
Init glorot_uniform(FanAxes axes) {
  return scaled(1, Fan::average, Distribution::uniform, std::move(axes));
}
Init he_normal(FanAxes axes) {
  return scaled(2, Fan::in, Distribution::truncated_normal, std::move(axes));
}
Init he_uniform(FanAxes axes) {
  return scaled(2, Fan::in, Distribution::uniform, std::move(axes));
}

}  // namespace meshwright::nn
