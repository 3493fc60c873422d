// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace meshwright {

/// A value made by the first call of get(). If making it fails, that call and every later one throw
/// the exception. Thread-safe.
template <typename T>
class Lazy {
 public:
  explicit Lazy(std::function<T()> make) : make_(std::move(make)) {}

  const T& get() const {
    std::call_once(once_, [this] {
      try {
        value_.emplace(make_());
      } catch (...) {
        error_ = std::current_exception();
      }
    });
    if (error_) std::rethrow_exception(error_);
    return *value_;
  }

 private:
  std::function<T()> make_;
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
  mutable std::exception_ptr error_;
};

}  // namespace meshwright
