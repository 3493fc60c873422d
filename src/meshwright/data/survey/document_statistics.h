// SPDX-License-Identifier: Apache-2.0
// Internal to survey/: statistics of documents, whatever they are read from.
#pragma once

#include <cstdint>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/survey/corpus_statistics.h"

namespace meshwright::data {

/// Fills in duplicates, totals and lengths. `all` are the documents of `out.files`, in order.
void add_lengths(const Documents& all, CorpusStatistics& out);

/// Fills in rows. Leaves them out, with the reason, if the documents are too few.
void add_rows(const TextConfig& settings,
              const DocumentsPtr& training,
              std::int64_t seed,
              CorpusStatistics& out);

/// Fills in what is held out of `all`, and the rows of the others.
void add_split(const TextConfig& settings,
               const DocumentsPtr& all,
               std::int64_t seed,
               CorpusStatistics& out);

}  // namespace meshwright::data
