// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: encodes input files into parts.
#pragma once

#include <cstddef>
#include <vector>

#include "meshwright/data/cache/build_account.h"
#include "meshwright/data/cache/part.h"
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
  BuildAccount& account;
};

/// Encodes the file of one part on `num_threads` threads. The part does not depend on that number.
/// Memory: a few batches of records per thread.
PartInfo encode_file(const Build& build, std::size_t part, int num_threads);

/// Encodes the files of these parts and stores their descriptions in `infos`. Small files are
/// encoded in parallel, each on one thread.
void encode_files(const Build& build,
                  const std::vector<std::size_t>& parts,
                  int num_threads,
                  std::vector<PartInfo>& infos);

}  // namespace meshwright::data
