// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/fields.h"
#include "meshwright/data/core/skip_steps_config.h"

namespace meshwright::data {

/// Adds the keys of a corpus that decide which rows come when, whatever its files are.
void row_order_fields(auto& f, auto& corpus) {
  f.optional("long_documents", corpus.long_documents,
             "Treatment of documents that are longer than a row, unless rows are concatenated: "
             "cut into several, truncate or drop.");
  f.optional("shuffle", corpus.shuffle, "Visit the rows in a new order in each epoch.");
  f.optional("shuffle_window", corpus.shuffle_window, config::kPositive,
             "Shuffle only within windows of this many rows, as a shuffle buffer does. `none`: "
             "shuffle all rows.")
      .unit("rows");
  f.optional("num_epochs", corpus.num_epochs, config::kPositive,
             "Number of passes over the rows, after which the data ends. `none`: endless.");
  skip_steps_field(f, corpus.skip_steps);
}

}  // namespace meshwright::data
