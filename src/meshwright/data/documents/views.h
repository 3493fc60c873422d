// SPDX-License-Identifier: Apache-2.0
// Documents made from other documents.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/documents/number_store.h"

namespace meshwright::data {

/// Returns the documents of all, one after the other.
DocumentsPtr joined(std::vector<DocumentsPtr> all);

/// Returns the documents with these numbers, in this order. `num_tokens` is the sum of their
/// lengths, if it is known.
DocumentsPtr selected(DocumentsPtr documents,
                      Numbers numbers,
                      std::optional<std::int64_t> num_tokens = {});
/// Returns all documents but these, whose numbers must be in ascending order.
DocumentsPtr without(DocumentsPtr documents,
                     Numbers numbers,
                     std::optional<std::int64_t> num_tokens = {});
/// Returns each slice as a document.
DocumentsPtr sliced(DocumentsPtr documents, std::vector<Slice> slices);

/// Returns documents with a token before and after each, where given.
DocumentsPtr framed(DocumentsPtr documents,
                    std::optional<std::int32_t> before,
                    std::optional<std::int32_t> after);

/// The two parts of a corpus.
struct Split {
  DocumentsPtr training, held_out;
};
/// Holds out a fraction of the documents, chosen by a hash of their content: equal documents are on
/// the same side, and the choice does not depend on the order or the names of files. A corpus of
/// fewer than `kMinDocuments` documents is cut into blocks first, and some of these are held out;
/// the text between them stays in one piece. Documents with weights are never cut. Throws
/// invalid_argument unless 0 < fraction < 1, or if there are too few tokens for both sides. The
/// choice among many documents is kept in `store`.
Split hold_out(const DocumentsPtr& documents,
               double fraction,
               const NumberStore& store = NumberStore());
inline constexpr std::int64_t kMinDocuments = 100;

}  // namespace meshwright::data
