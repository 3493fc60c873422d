// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/init_config.h"

#include "meshwright/nn/orthogonal.h"

namespace meshwright::nn {
namespace {

Init made(const ConstantInitConfig& c) {
  return constant_init(c.value);
}
Init made(const NormalInitConfig& c) {
  return normal(c.stddev);
}
Init made(const TruncatedNormalInitConfig& c) {
  return truncated_normal(c.stddev, c.low, c.high);
}
Init made(const UniformInitConfig& c) {
  return uniform(c.scale);
}
Init made(const VarianceScalingInitConfig& c) {
  return variance_scaling(c.options);
}
Init made(const OrthogonalInitConfig& c) {
  return orthogonal(c.scale, c.column);
}

}  // namespace

Init init_of(const InitConfig& config) {
  return std::visit([](const auto& c) { return made(c); }, config);
}

}  // namespace meshwright::nn

namespace meshwright::config {
template const Type& type_of<nn::InitConfig>();
}
