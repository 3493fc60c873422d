// SPDX-License-Identifier: Apache-2.0
// Disk cache of compiled programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meshwright::runtime {

/// Everything that determines a compiled program. Programs that differ in any part have different
/// keys.
struct CacheKeyParts {
  std::string_view program;  // without source locations
  std::string_view compile_options;
  std::string_view xla_flags;
  std::string_view plugin_digest;
  std::string_view device_kind;
  std::string_view cpu_features;
  std::vector<std::pair<std::string, int>> kernels;  // names and ABI versions
};

/// Returns 32 hexadecimal digits.
std::string cache_key(const CacheKeyParts& parts);

/// Returns $MESHWRIGHT_CACHE_DIR, $XDG_CACHE_HOME/meshwright or ~/.cache/meshwright, whichever is
/// defined first; empty if none is.
std::filesystem::path default_cache_folder();

/// A folder with one file per compiled program. Problems with the cache never fail a run: programs
/// that cannot be read are recompiled, programs that cannot be written are not cached, and each
/// problem is logged once. Several processes may share a folder.
class CompileCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{4} << 30;

  /// An empty folder disables the cache.
  explicit CompileCache(std::filesystem::path folder, std::uint64_t max_bytes = kDefaultMaxBytes);

  bool is_enabled() const { return !folder_.empty(); }
  /// Returns the bytes stored under this key; nullopt if there are none or they are corrupt. Warns
  /// about corruption.
  std::optional<std::string> find(const std::string& key) const;
  /// Stores `bytes` under `key`, replacing an existing entry. Then evicts the least recently used
  /// programs until at most max_bytes remain.
  void store(const std::string& key, std::string_view bytes) const;
  /// Logs that an entry returned by find() was unusable, and removes it.
  void reject(const std::string& key, std::string_view why) const;

  /// Returns the XXH3-128 digest of a large file, cached by remember().
  std::string file_digest(const std::filesystem::path& file) const;
  /// Returns the result of `find_out` for a file, cached under the name `what` until the size or
  /// modification time of the file changes. Errors are not cached.
  std::string remember(std::string_view what,
                       const std::filesystem::path& file,
                       const std::function<std::string()>& find_out) const;

  struct State {
    std::filesystem::path folder;
    bool is_writable = false;
    std::string fault;  // why it is not writable
    std::int64_t num_programs = 0;
    std::uint64_t num_bytes = 0;
    std::uint64_t max_bytes = 0;
  };
  State state() const;

 private:
  std::filesystem::path entry_path(const std::string& key) const;
  void evict(const std::filesystem::path& keep) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
};

}  // namespace meshwright::runtime
