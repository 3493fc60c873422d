// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: encodes a corpus into parts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record_settings.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// The input of a build and the folder it writes to.
struct Build {
  const std::vector<DataFile>& inputs;
  const RecordSettings& records;
  const RecordEncoder& encoder;
  io::FileSystem& folder;
  const TokenCacheOptions& options;
  int num_threads = 1;
};

/// Writes the parts of a cache that are missing or damaged, and returns all. The parts do not
/// depend on the number of threads. A file whose documents a missing part begins or ends within is
/// read from its beginning, but its documents are encoded only if they are missing.
std::vector<PartInfo> build_parts(const Build& build);

/// Throws data_loss if there are more corrupt records than may be skipped.
void check_num_corrupt(std::string_view folder, std::int64_t num_corrupt, std::int64_t limit);

}  // namespace meshwright::data
