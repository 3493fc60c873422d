// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/mapped_entries.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meshwright/base/error.h"

namespace meshwright::data {
namespace {

[[noreturn]] void fail_mapping(const std::string& path) {
  fail(ErrorCode::unavailable, "mapping ", path, " into memory: ", std::strerror(errno));
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

MappedEntries::MappedEntries(const std::string& path, std::int64_t num_entries) {
  if (num_entries == 0) return;
  const std::size_t num_bytes = static_cast<std::size_t>(num_entries) * sizeof(DocumentEntry);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.value < 0) fail_mapping(path);
  struct stat info = {};
  if (::fstat(file.value, &info) != 0) fail_mapping(path);
  if (static_cast<std::size_t>(info.st_size) < num_bytes) {
    fail(ErrorCode::data_loss, path, ": has ", info.st_size, " bytes, expected ", num_bytes);
  }
  void* const mapped = ::mmap(nullptr, num_bytes, PROT_READ, MAP_SHARED, file.value, 0);
  if (mapped == MAP_FAILED) fail_mapping(path);
  entries_ = {static_cast<const DocumentEntry*>(mapped), static_cast<std::size_t>(num_entries)};
}

MappedEntries::MappedEntries(MappedEntries&& other) noexcept
    : entries_(std::exchange(other.entries_, {})) {}

MappedEntries::~MappedEntries() {
  if (!entries_.empty())
    ::munmap(const_cast<DocumentEntry*>(entries_.data()), entries_.size_bytes());
}

}  // namespace meshwright::data
