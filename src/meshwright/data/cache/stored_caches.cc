// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/stored_caches.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/cache_files.h"
#include "meshwright/data/cache/cache_key.h"
#include "meshwright/data/cache/cache_lock.h"
#include "meshwright/data/core/last_use.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;

// Returns how a file differs from what it was; empty if it does not.
std::string change(const DataFile& was, const fs::path& path) {
  try {
    const io::UserFileInfo now = io::user_file_info(path.string());
    const bool is_equal = now.num_bytes == static_cast<std::uint64_t>(was.num_bytes) &&
                          now.modified_nanoseconds == was.modified_nanoseconds;
    return is_equal ? "" : str(was.path, " has changed");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return str(was.path, " no longer exists");
  }
}

void set_state(const CacheInputs& inputs, StoredCache& out) {
  for (const DataFile& file : inputs.files) {
    const fs::path path(file.path);
    if (path.is_relative() && inputs.working_folder.empty()) {
      out.reason = str("it is not known in which folder ", file.path, " was");
      return;
    }
    if (std::string changed = change(file, inputs.working_folder / path); !changed.empty()) {
      out.state = CacheState::stale;
      out.reason = std::move(changed);
      return;
    }
  }
  out.state = CacheState::current;
}

void describe(const io::FileSystem& folder, StoredCache& out) {
  const std::optional<std::int64_t> format = find_cache_format(folder);
  if (format && *format < kTokenCacheFormat) {
    out.state = CacheState::stale;
    out.reason = "it was made by an earlier version";
  } else if (format && *format > kTokenCacheFormat) {
    out.reason = "it was made by a later version";
  } else if (const std::optional<CacheInputs> inputs = find_inputs(folder)) {
    for (const DataFile& file : inputs->files)
      out.files.push_back(file.path);
    set_state(*inputs, out);
    const auto parts = find_parts(folder, inputs->files.size());
    if (!parts && out.state == CacheState::current) out.state = CacheState::incomplete;
    for (const PartInfo& part : parts.value_or(std::vector<PartInfo>())) {
      out.num_documents += part.num_documents;
      out.num_tokens += part.num_tokens;
    }
  } else {
    out.reason = "its description is damaged";
  }
}

std::int64_t size_of(const io::FileSystem& folder) {
  std::int64_t out = 0;
  for (const io::FolderEntry& entry : folder.list(""))
    if (const auto info = folder.find(entry.name))
      out += static_cast<std::int64_t>(info->num_bytes);
  return out;
}

StoredCache described(const fs::path& path) {
  const auto folder = io::open_file_system(path.string());
  StoredCache out{.folder = path};
  try {
    describe(*folder, out);
  } catch (const Error& error) {
    out.state = CacheState::unknown;
    out.reason = error.what();
  }
  out.num_bytes = size_of(*folder);
  out.last_use_seconds = last_use_seconds(path);
  return out;
}

}  // namespace

std::string_view cache_state_name(CacheState state) {
  switch (state) {
    case CacheState::current:
      return "current";
    case CacheState::incomplete:
      return "incomplete";
    case CacheState::stale:
      return "stale";
    case CacheState::unknown:
      return "unknown";
  }
  fail(ErrorCode::internal, "unknown state of a cache");
}

std::vector<StoredCache> find_stored_caches(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {};
  const auto caches = io::open_file_system(folder.string());
  std::vector<StoredCache> out;
  for (const io::FolderEntry& entry : caches->list("")) {
    const fs::path path = folder / entry.name;
    if (entry.kind == io::FileKind::folder && has_inputs(*io::open_file_system(path.string())))
      out.push_back(described(path));
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &StoredCache::last_use_seconds);
  return out;
}

bool remove_stored_cache(const StoredCache& cache) {
  const auto folder = io::open_file_system(cache.folder.string());
  const std::unique_ptr<io::FileLock> lock = lock_cache(*folder);
  if (lock == nullptr) return false;
  const auto caches = io::open_file_system(cache.folder.parent_path().string());
  io::remove_tree(*caches, cache.folder.filename().string());
  return true;
}

}  // namespace meshwright::data
