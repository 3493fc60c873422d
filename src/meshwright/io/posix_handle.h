// SPDX-License-Identifier: Apache-2.0
// Internal to io/: file descriptors.
#pragma once

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace meshwright::io {

/// Owns a file descriptor and closes it.
class Handle {
 public:
  explicit Handle(int fd = -1) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Handle() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

inline constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

template <typename Call>
auto again_if_interrupted(const Call& call) {
  while (true) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

inline Handle open_at(int folder, const char* name, int flags) {
  return Handle(again_if_interrupted([&] { return ::openat(folder, name, flags, 0666); }));
}

}  // namespace meshwright::io
