// SPDX-License-Identifier: Apache-2.0
// Decodes chunks that are larger than the memory budget into temporary files.
#pragma once

#include <cstdint>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/convert/pending_copy.h"
#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

struct Spilled {
  Stored stored;
  /// Size of the largest temporary file, 0 if none is needed.
  std::uint64_t largest_file = 0;
};

/// Returns the checkpoint with those arrays read through a temporary file that have compressed
/// chunks larger than the budget. Such a file is written when its array is first read, has no name,
/// and is gone when nothing refers to the array any longer. `folder` must exist by then. Other
/// arrays are unchanged, as are those that can only be decoded as a whole.
Spilled spill_large_chunks(const Stored& stored, const CopyOptions& options, const Files& folder);

}  // namespace meshwright::checkpoint
