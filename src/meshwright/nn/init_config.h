// SPDX-License-Identifier: Apache-2.0
// Initialisers in configs: a table with a type.
#pragma once

#include <string>
#include <variant>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/nn/init.h"

namespace meshwright::nn {

struct ConstantInitConfig {
  static constexpr char kType[] = "constant";
  double value = 0;

  void fields(auto& f) { f.required("value", value, "of every element"); }
};

struct NormalInitConfig {
  static constexpr char kType[] = "normal";
  double stddev = 0.01;

  void fields(auto& f) { f.required("stddev", stddev, config::kNotNegative, "standard deviation"); }
};

struct TruncatedNormalInitConfig {
  static constexpr char kType[] = "truncated_normal";
  double stddev = 0.01, low = -2, high = 2;

  void fields(auto& f) {
    f.required("stddev", stddev, config::kNotNegative, "factor of a draw that is cut off");
    f.optional("low", low, "the least that is drawn, before it is multiplied");
    f.optional("high", high, "the most");
    f.check(
        "high", [this] { return low < high; }, "be more than `low`");
  }
};

struct UniformInitConfig {
  static constexpr char kType[] = "uniform";
  double scale = 0.01;

  void fields(auto& f) { f.required("scale", scale, config::kPositive, "from 0 to this"); }
};

inline config::Choices<Fan> config_choices(Fan) {
  return {{"in", Fan::in},
          {"out", Fan::out},
          {"average", Fan::average},
          {"geometric_average", Fan::geometric_average}};
}

inline config::Choices<Distribution> config_choices(Distribution) {
  return {{"normal", Distribution::normal},
          {"uniform", Distribution::uniform},
          {"truncated_normal", Distribution::truncated_normal}};
}

struct VarianceScalingInitConfig {
  static constexpr char kType[] = "variance_scaling";
  VarianceScaling options;

  void fields(auto& f) {
    f.optional("scale", options.scale, config::kPositive, "the variance times the fan");
    f.optional("fan", options.fan, "number of inputs or outputs that the variance is divided by");
    f.optional("distribution", options.distribution, "what is drawn");
    f.optional(
        "in", options.axes.in,
        "names of the axes that are inputs; empty: as the model says, else the last but one");
    f.optional("out", options.axes.out, "and outputs; empty: all that are not `in` or `batch`");
    f.optional("batch", options.axes.batch, "and that count independent arrays");
  }
};

struct OrthogonalInitConfig {
  static constexpr char kType[] = "orthogonal";
  double scale = 1;
  std::string column;

  void fields(auto& f) {
    f.optional("scale", scale, config::kPositive, "factor of a matrix with orthonormal columns");
    f.optional("column", column, "name of the axis that counts columns; empty: the last");
  }
};

using InitConfig = std::variant<ConstantInitConfig,
                                NormalInitConfig,
                                TruncatedNormalInitConfig,
                                UniformInitConfig,
                                VarianceScalingInitConfig,
                                OrthogonalInitConfig>;

Init init_of(const InitConfig& config);

}  // namespace meshwright::nn

namespace meshwright::config {
extern template const Type& type_of<nn::InitConfig>();
}
