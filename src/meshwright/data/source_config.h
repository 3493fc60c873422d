// SPDX-License-Identifier: Apache-2.0
// Sources in configs: [data] with a type. Each source has its struct beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "meshwright/config/type_of.h"
#include "meshwright/data/arithmetic_config.h"
#include "meshwright/data/sequences_config.h"
#include "meshwright/data/shapes_config.h"
#include "meshwright/data/synthetic_config.h"
#include "meshwright/data/text_codec.h"

namespace meshwright::data {

using SourceChoice = std::variant<ArithmeticConfig,
                                  HeldOutArithmeticConfig,
                                  RandomTokensConfig,
                                  SequencesConfig,
                                  HeldOutSequencesConfig,
                                  ShapesConfig,
                                  HeldOutShapesConfig>;
struct SourceConfig : SourceChoice {
  using SourceChoice::SourceChoice;
};

SourcePtr make_source(const SourceConfig& config, std::int64_t seed);
/// How many tokens or classes a model of this data must know, where that is known.
std::optional<std::int64_t> num_tokens(const SourceConfig& config);
std::optional<std::int64_t> num_classes(const SourceConfig& config);
/// What the examples are, "additions of 3 digits"; empty where nothing is known. Data that a model
/// is judged on must be of the contents that it was trained on.
std::string contents(const SourceConfig& config);
/// How people write to a model of this data; token numbers where nothing else is known.
TextCodec text_codec(const SourceConfig& config);

}  // namespace meshwright::data

namespace meshwright::config {
extern template const Type& type_of<data::SourceConfig>();
}
