// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "meshwright/data/config/mixture_config.h"
#include "meshwright/data/text/run_data.h"

namespace meshwright::data {

/// Opens the corpora of a mixture's text parts. Throws invalid_argument, naming the parts, if their
/// tokenizers differ.
void open_parts(const MixtureConfig& config,
                const std::string& run_folder,
                DataUse use,
                RunData& run);

/// Returns the mixture. Its parts are opened when the first batch is needed.
SourcePtr make_mixture(const MixtureConfig& config, const RunData& run);

/// Returns the batches of held-out text of one part, or of all text parts, one after the other.
/// Throws invalid_argument if there are none.
SourcePtr held_out_parts(const HeldOutTextConfig& config, const RunData& run);

/// Returns the share of each used part in the rows, by name; empty if a weight is auto and the
/// number of the part's rows is not in `num_rows`.
std::map<std::string, double> shares(const MixtureConfig& config,
                                     const std::map<std::string, std::int64_t>& num_rows);

/// Return the greatest number of tokens or classes that a part needs; nullopt if unknown.
std::optional<std::int64_t> num_tokens(const MixtureConfig& config, const RunData& run);
std::optional<std::int64_t> num_classes(const MixtureConfig& config);
/// Returns the contents() that all parts have in common; empty if they have none.
std::string contents(const MixtureConfig& config);

}  // namespace meshwright::data
