// SPDX-License-Identifier: Apache-2.0
// Compiled programs on disk.
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

/// All that decides what a compiled program is. Two programs that differ in any of it have
/// different keys.
struct CacheKeyParts {
  std::string_view program;  // without source locations
  std::string_view compile_options;
  std::string_view xla_flags;
  std::string_view plugin_digest;
  std::string_view device_kind;
  std::string_view cpu_features;
  std::vector<std::pair<std::string, int>> kernels;  // names and ABI versions
};

/// 64 hexadecimal digits.
std::string cache_key(const CacheKeyParts& parts);

/// MESHWRIGHT_CACHE_DIR, else meshwright in XDG_CACHE_HOME or in ~/.cache; empty if there is no
/// home either.
std::filesystem::path default_cache_folder();

/// A folder of compiled programs, one file each. Nothing that goes wrong with it fails a run: what
/// cannot be read is compiled, what cannot be written is not kept, and both are said once. Several
/// processes may share it.
class CompileCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{4} << 30;

  /// An empty folder: no cache.
  explicit CompileCache(std::filesystem::path folder, std::uint64_t max_bytes = kDefaultMaxBytes);

  bool is_enabled() const { return !folder_.empty(); }
  /// The bytes that were stored under this key. Absent if there are none, or if they are damaged;
  /// the latter warns.
  std::optional<std::string> find(const std::string& key) const;
  /// Keeps `bytes` under `key`, instead of what is there. Afterwards the least recently used
  /// programs go until no more than max_bytes are left.
  void store(const std::string& key, std::string_view bytes) const;
  /// Says that what find() gave was of no use, and removes it.
  void reject(const std::string& key, std::string_view why) const;

  /// SHA-256 of a large file, remembered as by remember().
  std::string file_digest(const std::filesystem::path& file) const;
  /// What `find_out` says of a file under the name `what`, asked again only when the file's size or
  /// time of change is another. What it throws is not remembered.
  std::string remember(std::string_view what,
                       const std::filesystem::path& file,
                       const std::function<std::string()>& find_out) const;

  struct State {
    std::filesystem::path folder;
    bool is_writable = false;
    std::string fault;  // why it is not
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
