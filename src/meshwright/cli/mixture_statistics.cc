// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/mixture_statistics.h"

#include "meshwright/data/config/mixture.h"

namespace meshwright::cli {

MixtureStatistics sum(const std::vector<SurveyedCorpus>& parts,
                      const data::MixtureConfig& mixture) {
  MixtureStatistics out;
  std::map<std::string, std::int64_t> num_rows;
  for (const auto& [corpus, found] : parts) {
    out.total.records += found.total.records;
    out.total.documents += found.total.documents;
    out.held_out += found.held_out;
    if (!found.rows) continue;
    out.rows.num_rows += found.rows->num_rows;
    out.rows.num_tokens += found.rows->num_tokens;
    out.rows.num_padding += found.rows->num_padding;
    num_rows[corpus.part] = found.rows->num_rows;
  }
  out.shares = shares(mixture, num_rows);
  return out;
}

}  // namespace meshwright::cli
