// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meshwright/cli/print_statistics.h"

namespace meshwright::cli {

/// Sums over the parts of a mixture.
struct MixtureStatistics {
  data::FileStatistics total = {};
  data::DocumentSums held_out = {};  // only documents and tokens
  data::RowStatistics rows = {};
  std::map<std::string, double> shares = {};  // of all rows, by part; empty if unknown
};

MixtureStatistics sum(const std::vector<SurveyedCorpus>& parts, const data::MixtureConfig& mixture);

}  // namespace meshwright::cli
