// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/buffer.h"
#include "meshwright/runtime/array_layout.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::runtime {

struct ClientState;

/// How to treat host memory that is transferred to devices.
enum class HostMemoryUse {
  copy,
  /// The array may use the memory directly, so the memory must not be modified afterwards. On the
  /// CPU, nothing is copied if the array is replicated.
  share,
};

/// Read-only access to the elements on one device for the lifetime of this object. Donating the
/// array during that time is an error.
class ShardView {
 public:
  ShardView(ShardView&& other) noexcept;
  ShardView& operator=(ShardView&& other) = delete;
  ~ShardView();

  const ArrayType& type() const { return type_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Throws invalid_argument if T is not the element type.
  template <typename T>
  std::span<const T> values() const {
    MW_CHECK(dtype_of<T>() == type_.dtype, "ShardView: ", type_, " read as ", dtype_of<T>());
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  friend class DeviceArray;
  ShardView() = default;

  std::shared_ptr<const void> owner_;      // owner of the bytes
  std::atomic<int>* num_views_ = nullptr;  // counter in the owner; null if the bytes are a copy
  ArrayType type_;
  std::span<const std::byte> bytes_;
};

/// An array on the devices of a client. A handle, cheap to copy. Its value may not have been
/// computed yet.
class DeviceArray {
 public:
  DeviceArray() = default;
  /// Used by the runtime. Takes one buffer per device of the layout's mesh.
  DeviceArray(std::shared_ptr<ClientState> client,
              SharedLayout layout,
              std::vector<pjrt::Buffer> buffers);

  bool is_null() const { return state_ == nullptr; }
  const ArrayType& type() const { return layout().type(); }
  const ArrayLayout& layout() const;

  /// True if a ShardView or an unfinished snapshot reads the array, so that it must not be donated.
  bool is_held() const;
  /// False once the array has been donated to an execution.
  bool is_alive() const;
  /// True if the value is available on every device.
  bool is_ready() const;
  /// Waits for the value. Throws device if computing it failed.
  void wait() const;
  /// Waits for the value and returns the whole array. Throws device if computing it failed, and
  /// invalid_argument if the array has been donated.
  HostTensor to_host() const;
  /// Returns the shard on one device.
  HostTensor shard_to_host(std::size_t device) const;
  /// Gives access to the shard on one device, without a copy if the host can read the device's
  /// memory.
  ShardView view_shard(std::size_t device) const;
  /// Waits for the value and returns the address of the elements on one device. For tests of
  /// donation.
  std::uintptr_t address(std::size_t device) const;

 private:
  friend class Executable;
  friend struct DeviceArrayAccess;
  struct State;
  const State& alive(const char* doing) const;

  std::shared_ptr<State> state_;
};

}  // namespace meshwright::runtime
