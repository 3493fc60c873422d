// SPDX-License-Identifier: Apache-2.0
// Lists and removes the token caches of a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::data {

enum class CacheState {
  current,     // its files are unchanged
  incomplete,  // as above, but the cache is being built, or the build was interrupted
  stale,       // no run can use it: a file has changed or is gone, or the layout is an earlier one
  unknown,     // not known
};
std::string_view cache_state_name(CacheState state);

struct StoredCache {
  std::filesystem::path folder;
  CacheState state = CacheState::unknown;
  std::string reason = {};              // why it is stale or unknown
  std::vector<std::string> files = {};  // that were tokenized, as the run named them
  std::int64_t num_documents = 0, num_tokens = 0;
  std::int64_t num_bytes = 0;         // on disk
  std::int64_t last_use_seconds = 0;  // since 1970
};

/// Returns the token caches in TokenCacheOptions::folder, the last used first. Does not read their
/// tokens. None if the folder does not exist.
std::vector<StoredCache> find_stored_caches(const std::filesystem::path& folder);

/// Removes a cache. Returns false if a process is building it. Runs that read it are not disturbed.
bool remove_stored_cache(const StoredCache& cache);

}  // namespace meshwright::data
