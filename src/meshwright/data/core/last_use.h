// SPDX-License-Identifier: Apache-2.0
// When files that can be made again were last used, so that old ones can be found and removed.
#pragma once

#include <cstdint>
#include <filesystem>

namespace meshwright::data {

/// Notes that a file or folder is used now, as its time of modification. Does nothing if that is
/// not permitted.
void note_use(const std::filesystem::path& path);

/// Returns when it was last used or changed, in seconds since 1970; 0 if it does not exist.
std::int64_t last_use_seconds(const std::filesystem::path& path);

}  // namespace meshwright::data
