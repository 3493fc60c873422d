// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/cache_file.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/str.h"

namespace meshwright::runtime {
namespace {

constexpr std::string_view kUnfinished = ".tmp-";

// Numbers are in host byte order: a cache does not move between machines, and a file of the other
// byte order would have an implausible size.
struct FileHeader {
  char magic[8] = {'M', 'W', 'C', 'A', 'C', 'H', 'E', '1'};
  std::uint64_t num_bytes = 0;
  std::uint32_t checksum = 0;
  std::uint32_t name_checksum = 0;  // detects a renamed file
};
static_assert(sizeof(FileHeader) == 24);

FileHeader header_for(const std::filesystem::path& path, std::string_view bytes) {
  FileHeader header;
  header.num_bytes = bytes.size();
  header.checksum = crc32c(bytes);
  header.name_checksum = crc32c(path.filename().string());
  return header;
}

class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// Reads up to `size` bytes.
  std::size_t read_up_to(char* out, std::size_t size) const {
    std::size_t total = 0;
    while (total < size) {
      ssize_t n = ::read(descriptor_, out + total, size - total);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      total += static_cast<std::size_t>(n);
    }
    return total;
  }

 private:
  int descriptor_;
};

std::string_view as_bytes(const FileHeader& header) {
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

std::string system_error() {
  return std::strerror(errno);
}

std::string write_unfinished(const std::filesystem::path& path,
                             const FileHeader& header,
                             std::string_view bytes) {
  File file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open() || !file.write_all(as_bytes(header)) || !file.write_all(bytes) ||
      ::fsync(file.get()) != 0)
    return system_error();
  return {};
}

}  // namespace

bool is_unfinished_cache_file(const std::filesystem::path& path) {
  return path.filename().string().starts_with(kUnfinished);
}

CacheFileContent read_cache_file(const std::filesystem::path& path) {
  File file(path, O_RDONLY);
  if (!file.is_open()) return {{}, errno == ENOENT ? "" : system_error()};
  struct stat info {};
  FileHeader header;
  if (::fstat(file.get(), &info) != 0) return {{}, system_error()};
  if (file.read_up_to(reinterpret_cast<char*>(&header), sizeof(header)) != sizeof(header) ||
      std::memcmp(header.magic, FileHeader().magic, sizeof(header.magic)) != 0)
    return {{}, "unknown format"};
  auto num_bytes = static_cast<std::uint64_t>(info.st_size) - sizeof(header);
  if (header.num_bytes != num_bytes)
    return {{}, str("has ", num_bytes, " bytes, expected ", header.num_bytes)};
  std::string bytes(num_bytes, '\0');
  if (file.read_up_to(bytes.data(), bytes.size()) != bytes.size()) return {{}, system_error()};
  if (as_bytes(header) != as_bytes(header_for(path, bytes))) return {{}, "checksum mismatch"};
  ::futimens(file.get(), nullptr);  // for eviction; fails harmlessly for a file of another user
  return {std::move(bytes), {}};
}

std::string write_cache_file(const std::filesystem::path& path, std::string_view bytes) {
  static std::atomic<int> counter = 0;
  std::filesystem::path unfinished = path.parent_path() / str(kUnfinished, getpid(), "-", counter++,
                                                              "-", path.filename().string());
  std::string fault = write_unfinished(unfinished, header_for(path, bytes), bytes);
  if (fault.empty() && ::rename(unfinished.c_str(), path.c_str()) != 0) fault = system_error();
  if (!fault.empty()) {
    ::unlink(unfinished.c_str());
    return fault;
  }
  File folder(path.parent_path(), O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) ::fsync(folder.get());  // on failure, the program is at worst recompiled
  return {};
}

}  // namespace meshwright::runtime
