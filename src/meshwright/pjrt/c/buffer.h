// SPDX-License-Identifier: Apache-2.0
// PJRT C interface: arrays on devices.
#pragma once

#include "meshwright/pjrt/c/base.h"

namespace meshwright::pjrt::c {

enum class BufferType : int {
  invalid = 0,
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 13,
  f8e5m2 = 16,
  f8e4m3fn = 17,
  s4 = 21,
  u4 = 22,
};

enum class HostBufferSemantics : int {
  immutable_only_during_call = 0,
  immutable_until_transfer_completes = 1,
  immutable_zero_copy = 2,
  mutable_zero_copy = 3,
};

enum class BufferMemoryLayoutType : int { tiled = 0, strides = 1 };

struct BufferMemoryLayoutTiled {
  Header header{sizeof(BufferMemoryLayoutTiled)};
  const std::int64_t* minor_to_major = nullptr;
  std::size_t minor_to_major_size = 0;
  const std::int64_t* tile_dims = nullptr;
  const std::size_t* tile_dim_sizes = nullptr;
  std::size_t num_tiles = 0;
};

struct BufferMemoryLayout {
  Header header{sizeof(BufferMemoryLayout)};
  BufferMemoryLayoutTiled tiled{};  // in a union with the strides, which are smaller
  BufferMemoryLayoutType type = BufferMemoryLayoutType::tiled;
};

struct ClientBufferFromHostBufferArgs {
  Header header{sizeof(ClientBufferFromHostBufferArgs)};
  Client* client = nullptr;
  const void* data = nullptr;
  BufferType type = BufferType::invalid;
  const std::int64_t* dims = nullptr;
  std::size_t num_dims = 0;
  const std::int64_t* byte_strides = nullptr;  // nullptr: dense, row-major
  std::size_t num_byte_strides = 0;
  HostBufferSemantics host_buffer_semantics = HostBufferSemantics::immutable_only_during_call;
  Device* device = nullptr;
  Memory* memory = nullptr;
  BufferMemoryLayout* device_layout = nullptr;
  Event* done_with_host_buffer = nullptr;  // out
  Buffer* buffer = nullptr;                // out
};

struct BufferDestroyArgs {
  Header header{sizeof(BufferDestroyArgs)};
  Buffer* buffer = nullptr;
};

struct BufferElementTypeArgs {
  Header header{sizeof(BufferElementTypeArgs)};
  Buffer* buffer = nullptr;
  BufferType type = BufferType::invalid;  // out
};

struct BufferDimensionsArgs {
  Header header{sizeof(BufferDimensionsArgs)};
  Buffer* buffer = nullptr;
  const std::int64_t* dims = nullptr;  // out
  std::size_t num_dims = 0;            // out
};

struct BufferOnDeviceSizeInBytesArgs {
  Header header{sizeof(BufferOnDeviceSizeInBytesArgs)};
  Buffer* buffer = nullptr;
  std::size_t on_device_size_in_bytes = 0;  // out
};

struct BufferDeleteArgs {
  Header header{sizeof(BufferDeleteArgs)};
  Buffer* buffer = nullptr;
};

struct BufferIsDeletedArgs {
  Header header{sizeof(BufferIsDeletedArgs)};
  Buffer* buffer = nullptr;
  bool is_deleted = false;  // out
};

struct BufferToHostBufferArgs {
  Header header{sizeof(BufferToHostBufferArgs)};
  Buffer* src = nullptr;
  BufferMemoryLayout* host_layout = nullptr;
  void* dst = nullptr;
  std::size_t dst_size = 0;
  Event* event = nullptr;  // out
};

struct BufferCopyToDeviceArgs {
  Header header{sizeof(BufferCopyToDeviceArgs)};
  Buffer* buffer = nullptr;
  Device* dst_device = nullptr;
  Buffer* dst_buffer = nullptr;  // out
};

struct BufferIsOnCpuArgs {
  Header header{sizeof(BufferIsOnCpuArgs)};
  Buffer* buffer = nullptr;
  bool is_on_cpu = false;  // out
};

struct BufferDeviceArgs {
  Header header{sizeof(BufferDeviceArgs)};
  Buffer* buffer = nullptr;
  Device* device = nullptr;  // out
};

struct BufferReadyEventArgs {
  Header header{sizeof(BufferReadyEventArgs)};
  Buffer* buffer = nullptr;
  Event* event = nullptr;  // out
};

struct BufferUnsafePointerArgs {
  Header header{sizeof(BufferUnsafePointerArgs)};
  Buffer* buffer = nullptr;
  std::uintptr_t buffer_pointer = 0;  // out
};

struct BufferExternalReferenceArgs {
  Header header{sizeof(BufferExternalReferenceArgs)};
  Buffer* buffer = nullptr;
};

}  // namespace meshwright::pjrt::c
