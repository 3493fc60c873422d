// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <string>
#include <vector>

#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

/// Changes whenever the layout of caches does.
constexpr int kTokenCacheFormat = 1;

/// Returns the digest of all that determines the content of a cache. RecordSettings::skip_corrupt
/// and num_threads do not.
std::string cache_key(const std::vector<DataFile>& files,
                      const RecordSettings& records,
                      const RecordEncoder& encoder);

}  // namespace meshwright::data
