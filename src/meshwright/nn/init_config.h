// SPDX-License-Identifier: Apache-2.0
// Initialisers in configs: tables with a `type`.
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

  void fields(auto& f) { f.required("value", value, "Value of every element."); }
};

struct NormalInitConfig {
  static constexpr char kType[] = "normal";
  double stddev = 0.01;

  void fields(auto& f) {
    f.required("stddev", stddev, config::kNotNegative, "Standard deviation.");
  }
};

struct TruncatedNormalInitConfig {
  static constexpr char kType[] = "truncated_normal";
  double stddev = 0.01, low = -2, high = 2;

  void fields(auto& f) {
    f.required("stddev", stddev, config::kNotNegative,
               "Scale of the truncated normal distribution.");
    f.optional("low", low, "Lower bound of the draw, before scaling.");
    f.optional("high", high, "Upper bound of the draw, before scaling.");
    f.check(
        "high", [this] { return low < high; }, "be more than `low`");
  }
};

struct UniformInitConfig {
  static constexpr char kType[] = "uniform";
  double scale = 0.01;

  void fields(auto& f) {
    f.required("scale", scale, config::kPositive, "Upper bound; the lower one is 0.");
  }
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
    f.optional("scale", options.scale, config::kPositive,
               "Numerator of the variance, which is scale / fan.");
    f.optional("fan", options.fan, "Whether the fan counts inputs, outputs or their mean.");
    f.optional("distribution", options.distribution, "Distribution to draw from.");
    f.optional("in", options.axes.in,
               "Axes that count as inputs. If empty, those that the model declares, otherwise the "
               "second to last.");
    f.optional(
        "out", options.axes.out,
        "Axes that count as outputs. If empty, all that are neither in `in` nor in `batch`.");
    f.optional("batch", options.axes.batch, "Axes that enumerate independent arrays.");
  }
};

struct OrthogonalInitConfig {
  static constexpr char kType[] = "orthogonal";
  double scale = 1;
  std::string column;

  void fields(auto& f) {
    f.optional("scale", scale, config::kPositive, "Factor on a matrix with orthonormal columns.");
    f.optional("column", column, "Axis that enumerates columns. If empty, the last.");
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
