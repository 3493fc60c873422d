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

/// What becomes of host memory that is put onto devices.
enum class HostMemoryUse {
  copy,
  /// The array may live in it, so nobody may change it any more. On the CPU nothing is copied if
  /// the array lies whole on each device.
  share,
};

/// Elements that one device holds, readable in place while this object lives. Meanwhile the array
/// must not be donated, which is an error.
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

  std::shared_ptr<const void> owner_;      // of the bytes
  std::atomic<int>* num_views_ = nullptr;  // in the owner; absent if the bytes are a copy
  ArrayType type_;
  std::span<const std::byte> bytes_;
};

/// An array on the devices of a client: a handle, cheap to copy. Its value may still be under way.
class DeviceArray {
 public:
  DeviceArray() = default;
  /// For the runtime: one buffer per device of the layout's mesh.
  DeviceArray(std::shared_ptr<ClientState> client,
              SharedLayout layout,
              std::vector<pjrt::Buffer> buffers);

  bool is_null() const { return state_ == nullptr; }
  const ArrayType& type() const { return layout().type(); }
  const ArrayLayout& layout() const;

  /// Whether a ShardView or a snapshot under way still reads it, so that it must not be donated.
  bool is_held() const;
  /// False once it was donated to an execution.
  bool is_alive() const;
  /// Whether the value is there on every device.
  bool is_ready() const;
  /// Waits for the value. Throws device if computing it failed.
  void wait() const;
  /// The whole array. Waits for the value; throws device if computing it failed and
  /// invalid_argument if the array was donated.
  HostTensor to_host() const;
  /// What one device holds.
  HostTensor shard_to_host(std::size_t device) const;
  /// The same without a copy where the host can read the device's memory.
  ShardView view_shard(std::size_t device) const;
  /// Where the elements on one device are; for tests of donation. Waits for the value.
  std::uintptr_t address(std::size_t device) const;

 private:
  friend class Executable;
  friend struct DeviceArrayAccess;
  struct State;
  const State& alive(const char* doing) const;

  std::shared_ptr<State> state_;
};

}  // namespace meshwright::runtime
