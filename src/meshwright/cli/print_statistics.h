// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/cli/corpora.h"
#include "meshwright/data/survey/corpus_statistics.h"

namespace meshwright::cli {

/// A corpus and what was found in it.
struct SurveyedCorpus {
  Corpus corpus;
  data::CorpusStatistics found;
};

/// Print to stdout: one corpus, or the parts of a mixture and their sums.
void print_statistics_text(const std::vector<SurveyedCorpus>& corpora,
                           const std::optional<data::MixtureConfig>& mixture);
void print_statistics_json(const std::vector<SurveyedCorpus>& corpora,
                           const std::optional<data::MixtureConfig>& mixture);

}  // namespace meshwright::cli
