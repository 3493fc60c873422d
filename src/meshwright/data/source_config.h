// SPDX-License-Identifier: Apache-2.0
// Sources in configs: [data] with a type. Each source has its struct beside it.
#pragma once

#include <cstdint>
#include <variant>

#include "meshwright/config/type_of.h"
#include "meshwright/data/arithmetic_config.h"
#include "meshwright/data/synthetic_config.h"

namespace meshwright::data {

using SourceChoice = std::variant<ArithmeticConfig, HeldOutArithmeticConfig, RandomTokensConfig>;
struct SourceConfig : SourceChoice {
  using SourceChoice::SourceChoice;
};

SourcePtr make_source(const SourceConfig& config, std::int64_t seed);

}  // namespace meshwright::data

namespace meshwright::config {
extern template const Type& type_of<data::SourceConfig>();
}
