// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/mapped_file.h"

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
  fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, "mapping ", path,
       " into memory: ", std::strerror(errno));
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path, std::int64_t num_bytes) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.value < 0) fail_mapping(path);
  struct stat info = {};
  if (::fstat(file.value, &info) != 0) fail_mapping(path);
  if (info.st_size < num_bytes)
    fail(ErrorCode::data_loss, path, ": has ", info.st_size, " bytes, expected ", num_bytes);
  if (num_bytes == 0) return;
  const auto size = static_cast<std::size_t>(num_bytes);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.value, 0);
  if (mapped == MAP_FAILED) fail_mapping(path);
  bytes_ = {static_cast<const std::byte*>(mapped), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace meshwright::data
