// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/compile_cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/runtime/cache_file.h"

namespace meshwright::runtime {
namespace {

namespace fs = std::filesystem;

// Increment to invalidate all existing entries.
constexpr std::string_view kFormat = "meshwright executable 1";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Prefixes the length, so that parts cannot run into each other.
void add_part(Digest& digest, std::string_view part) {
  digest.update(str(part.size(), ":"));
  digest.update(part);
}

struct Entry {
  fs::path path;
  std::uint64_t num_bytes = 0;
  fs::file_time_type last_used;
};

/// Returns the files of the cache, except those being written.
std::vector<Entry> entries(const fs::path& folder) {
  std::vector<Entry> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_unfinished_cache_file(it->path())) continue;
    std::error_code gone;  // another process may remove it meanwhile
    Entry entry{it->path(), it->file_size(gone), {}};
    if (!gone) entry.last_used = it->last_write_time(gone);
    if (!gone) out.push_back(std::move(entry));
  }
  return out;
}

/// Removes partial files of processes that died while writing.
void remove_unfinished(const fs::path& folder) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (is_unfinished_cache_file(it->path()) && it->last_write_time(gone) < long_ago && !gone)
      fs::remove(it->path(), gone);
  }
}

std::string digest_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Digest digest;
  std::string piece(1 << 20, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
    digest.update({piece.data(), static_cast<std::size_t>(in.gcount())});
  return digest.hex();
}

}  // namespace

std::string cache_key(const CacheKeyParts& parts) {
  Digest digest;
  for (std::string_view part : {kFormat, parts.program, parts.compile_options, parts.xla_flags,
                                parts.plugin_digest, parts.device_kind, parts.cpu_features})
    add_part(digest, part);
  for (const auto& [name, version] : parts.kernels)
    add_part(digest, str(name, "@", version));
  return digest.hex();
}

fs::path default_cache_folder() {
  if (std::string folder = environment("MESHWRIGHT_CACHE_DIR"); !folder.empty()) return folder;
  if (std::string folder = environment("XDG_CACHE_HOME"); !folder.empty())
    return fs::path(folder) / "meshwright";
  if (std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache/meshwright";
  return {};
}

CompileCache::CompileCache(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path CompileCache::entry_path(const std::string& key) const {
  return folder_ / "executables" / key;
}

std::optional<std::string> CompileCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  CacheFileContent content = read_cache_file(entry_path(key));
  if (!content.fault.empty()) reject(key, content.fault);
  return std::move(content.bytes);
}

void CompileCache::reject(const std::string& key, std::string_view why) const {
  log_warning("the cached program ", entry_path(key).string(), " is unusable: ", why,
              "; recompiling");
  std::error_code ignored;
  fs::remove(entry_path(key), ignored);
}

void CompileCache::store(const std::string& key, std::string_view bytes) const {
  if (folder_.empty() || bytes.size() > max_bytes_) return;
  std::error_code error;
  fs::path path = entry_path(key);
  fs::create_directories(path.parent_path(), error);
  std::string fault = error ? error.message() : write_cache_file(path, bytes);
  if (fault.empty()) {
    evict(path);
    return;
  }
  static std::once_flag said;
  std::call_once(said, [&] {
    log_warning("cannot cache compiled programs in ", folder_.string(), ": ", fault,
                "; every start recompiles (set MESHWRIGHT_CACHE_DIR to another folder)");
  });
}

void CompileCache::evict(const fs::path& keep) const {
  remove_unfinished(keep.parent_path());
  std::vector<Entry> all = entries(keep.parent_path());
  std::sort(all.begin(), all.end(),
            [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
  std::uint64_t total = 0;
  for (const Entry& entry : all)
    total += entry.num_bytes;
  for (const Entry& entry : all) {
    if (total <= max_bytes_) return;
    if (entry.path == keep) continue;
    std::error_code ignored;
    fs::remove(entry.path, ignored);
    total -= entry.num_bytes;
  }
}

std::string CompileCache::file_digest(const fs::path& file) const {
  return remember("digests", file, [&] { return digest_of_file(file); });
}

std::string CompileCache::remember(std::string_view what,
                                   const fs::path& file,
                                   const std::function<std::string()>& find_out) const {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    fail(ErrorCode::device, file.string(), " can no longer be read");
  if (folder_.empty()) return find_out();
  fs::path note = folder_ / what / digest_hex(file.string());
  std::string stamp =
      str(info.st_size, " ", info.st_ino, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ");
  CacheFileContent known = read_cache_file(note);
  if (known.bytes && known.bytes->starts_with(stamp)) return known.bytes->substr(stamp.size());
  std::string found = find_out();
  std::error_code ignored;
  fs::create_directories(note.parent_path(), ignored);
  write_cache_file(note, stamp + found);
  return found;
}

CompileCache::State CompileCache::state() const {
  State state{.folder = folder_, .max_bytes = max_bytes_};
  if (folder_.empty()) {
    state.fault = "neither MESHWRIGHT_CACHE_DIR nor HOME is set";
    return state;
  }
  fs::path folder = folder_ / "executables";
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path probe = folder / str(".tmp-", getpid(), "-probe");
  state.fault = error ? error.message() : write_cache_file(probe, "probe");
  state.is_writable = state.fault.empty();
  if (!state.is_writable) state.fault = str(folder_.string(), ": ", state.fault);
  fs::remove(probe, error);
  for (const Entry& entry : entries(folder)) {
    ++state.num_programs;
    state.num_bytes += entry.num_bytes;
  }
  return state;
}

}  // namespace meshwright::runtime
