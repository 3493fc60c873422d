// SPDX-License-Identifier: Apache-2.0
// Writes the rows of batches to files that other programs read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "meshwright/data/core/source.h"

namespace meshwright::data {

enum class BatchFormat {
  npy,    // a folder with a NumPy array for each array of the batch: inputs.npy
  jsonl,  // a line per row: an object with a list for each array
};

/// Nothing has its final name before finish(). A writer that is destroyed earlier removes what it
/// has written.
class BatchWriter {
 public:
  virtual ~BatchWriter() = default;
  /// Appends the rows of a batch, which has the arrays of the spec.
  virtual void add(const Batch& batch) = 0;
  /// Returns once the files have their names and would survive a power loss.
  virtual void finish() = 0;
};

enum class IfExists { refuse, replace };

/// Returns a writer of `num_rows` rows with the arrays of `spec`. Its memory does not depend on
/// `num_rows`. Throws already_exists if `path` exists and is not to be replaced.
std::unique_ptr<BatchWriter> open_batch_writer(const std::string& path,
                                               BatchFormat format,
                                               const BatchSpec& spec,
                                               std::int64_t num_rows,
                                               IfExists if_exists = IfExists::refuse);

}  // namespace meshwright::data
