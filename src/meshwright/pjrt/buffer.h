// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "meshwright/pjrt/event.h"
#include "meshwright/pjrt/handle.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::pjrt {

/// An array on one device. Must not outlive its client.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Handle<c::Buffer> handle) : handle_(std::move(handle)) {}

  ArrayType type() const;
  /// False once the buffer has been donated to an execution or deleted.
  bool is_alive() const;
  /// Frees the device memory; the object remains.
  void delete_memory();

  /// Starts a dense row-major copy to `out`, which must have type().num_bytes() bytes and stay
  /// valid until the event is ready.
  Event copy_to_host(std::span<std::byte> out) const;
  /// Returns an event that is ready when the value has been computed, and fails if computing it
  /// failed.
  Event ready_event() const;

  /// Returns the address of the elements, which is valid until the buffer is donated or destroyed.
  /// Call this only after the value is ready.
  const std::byte* unsafe_pointer() const;

  /// True if the host can read the memory of the elements.
  bool is_on_cpu() const;

  c::Buffer* get() const { return handle_.get(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  Handle<c::Buffer> handle_;
};

}  // namespace meshwright::pjrt
