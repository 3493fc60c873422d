// SPDX-License-Identifier: Apache-2.0
// Sources in configs: the table [data], with a type. Each source's config struct is in a file next
// to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "meshwright/config/type_of.h"
#include "meshwright/data/config/mixture_config.h"
#include "meshwright/data/core/skipped_batches.h"
#include "meshwright/data/core/text_codec.h"
#include "meshwright/data/generated/arithmetic_config.h"
#include "meshwright/data/generated/sequences_config.h"
#include "meshwright/data/generated/shapes_config.h"
#include "meshwright/data/generated/synthetic_config.h"
#include "meshwright/data/text/run_data.h"
#include "meshwright/data/text/tokens_config.h"

namespace meshwright::data {

using SourceChoice = std::variant<ArithmeticConfig,
                                  HeldOutArithmeticConfig,
                                  RandomTokensConfig,
                                  SequencesConfig,
                                  HeldOutSequencesConfig,
                                  ShapesConfig,
                                  HeldOutShapesConfig,
                                  TextConfig,
                                  TokensConfig,
                                  HeldOutTextConfig,
                                  MixtureConfig>;
struct SourceConfig : SourceChoice {
  using SourceChoice::SourceChoice;
};

/// Opens the state shared by the sources of a run from the config of its training data. The run
/// keeps its files in `run_folder`.
RunData open_run_data(const SourceConfig& training,
                      std::int64_t seed,
                      const std::string& run_folder,
                      DataUse use = DataUse::batches);

/// True for sources that read files to train on; evaluators cannot use them.
bool is_for_training_only(const SourceConfig& config);
/// Throws invalid_argument if the source needs training data of another type.
SourcePtr make_source(const SourceConfig& config, const RunData& run);
/// Returns the batches that the config leaves out.
SkippedBatches skipped_batches(const SourceConfig& config);
/// Return the number of tokens or classes that a model for this data needs; nullopt if unknown.
std::optional<std::int64_t> num_tokens(const SourceConfig& config, const RunData& run);
std::optional<std::int64_t> num_classes(const SourceConfig& config);
/// Returns a description of the examples, such as "additions of 3 digits"; empty if unknown.
/// Evaluation data must have the same contents as the training data.
std::string contents(const SourceConfig& config);
/// Returns this data's codec between text and tokens; token_numbers() by default.
TextCodec text_codec(const SourceConfig& config, const RunData& run);

}  // namespace meshwright::data

namespace meshwright::config {
extern template const Type& type_of<data::SourceConfig>();
}
