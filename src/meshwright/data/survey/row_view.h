// SPDX-License-Identifier: Apache-2.0
// A row of a batch as what it is made of, for display.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

/// Consecutive tokens of a row: a piece of a document, or an array of tokens.
struct ShownTokens {
  std::string array = {};             // its name, if not the inputs and targets of an LM
  std::optional<Origin> origin = {};  // of the first token
  std::int64_t begin = 0;             // the first token, in the row
  std::vector<std::int32_t> tokens = {};
  std::vector<bool> learnt = {};  // for each token: it is a target with weight in the loss
  std::int32_t segment = 0;       // the document that attention stays in; 0: all of the row

  std::int64_t num_learnt() const;
  /// True unless the document begins in an earlier row.
  bool is_start() const { return !origin || origin->token == 0; }
};

/// An array without tokens, such as an image.
struct ShownArray {
  std::string name;
  ArrayType type;  // of the row
  std::vector<double> values;
};

struct RowView {
  std::int64_t step = 0, row = 0;
  std::string part_of_mixture = {};  // its name; empty unless the source is a mixture
  std::vector<ShownTokens> parts = {};
  std::int64_t num_padding = 0;  // places at the end without a token
  std::vector<ShownArray> arrays = {};
};

/// Returns the view of one row of batch `step`. The tokens of a language model's row are its inputs
/// and its last target, divided into documents where the source knows them, otherwise into
/// segments. Throws invalid_argument for a step or row that does not exist.
RowView row_view(const Source& source, std::int64_t step, std::int64_t row);

/// Like row_view(), for all rows of a batch.
std::vector<RowView> row_views(const Source& source, std::int64_t step);

}  // namespace meshwright::data
