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
  /// False once it was donated to an execution, or deleted.
  bool is_alive() const;
  /// Gives its memory back, while the object stays.
  void delete_memory();

  /// Starts a dense row-major copy into `out`, which must stay until the event is ready and be
  /// as large as type().num_bytes().
  Event copy_to_host(std::span<std::byte> out) const;
  /// Ready when the value has been computed; fails if computing it failed.
  Event ready_event() const;

  /// The address of the elements. Valid until the buffer is donated or destroyed; call after the
  /// value is ready.
  const std::byte* unsafe_pointer() const;

  /// Whether the elements are in memory that the host can read.
  bool is_on_cpu() const;

  c::Buffer* get() const { return handle_.get(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  Handle<c::Buffer> handle_;
};

}  // namespace meshwright::pjrt
