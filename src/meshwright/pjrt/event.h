// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "meshwright/pjrt/handle.h"

namespace meshwright::pjrt {

/// An asynchronous operation of a plugin: an execution or a copy.
class Event {
 public:
  Event() = default;
  explicit Event(Handle<c::Event> handle) : handle_(std::move(handle)) {}

  /// Blocks until the operation is done. Throws device, with the message "<doing>: <cause>", if it
  /// failed.
  void await(std::string_view doing) const;
  bool is_ready() const;
  /// Calls `action` exactly once, when the operation is done or has failed: immediately or later,
  /// on any thread.
  void on_ready(std::function<void()> action) const;
  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  Handle<c::Event> handle_;
};

}  // namespace meshwright::pjrt
