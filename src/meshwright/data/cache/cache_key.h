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
constexpr int kTokenCacheFormat = 2;

/// Returns the digest of all settings that determine the content of a cache.
/// RecordSettings::skip_corrupt and num_threads do not.
std::string settings_digest(const RecordSettings& records, const RecordEncoder& encoder);

/// Returns the digest of all that determines the content of a cache.
std::string cache_key(const std::vector<DataFile>& files, const std::string& settings_digest);

}  // namespace meshwright::data
