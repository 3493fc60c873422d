// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/device.h"

#include <span>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/pjrt/call.h"

namespace meshwright::pjrt {
namespace {

constexpr std::string_view kAskingDevice = "querying a device";

std::span<c::Memory* const> memories_of(const Plugin& plugin, c::Device* device) {
  auto args = call(plugin, &c::Api::device_addressable_memories, {.device = device}, kAskingDevice);
  return {args.memories, args.num_memories};
}

std::string kind_of(const Plugin& plugin, c::Memory* memory) {
  auto args = call(plugin, &c::Api::memory_kind, {.memory = memory}, kAskingDevice);
  return {args.kind, args.kind_size};
}

std::optional<std::int64_t> if_set(bool is_set, std::int64_t value) {
  return is_set ? std::optional(value) : std::nullopt;
}

}  // namespace

int DeviceDescription::id() const {
  return call(*plugin_, &c::Api::device_description_id, {.device_description = description_},
              kAskingDevice)
      .id;
}

int DeviceDescription::process_index() const {
  return call(*plugin_, &c::Api::device_description_process_index,
              {.device_description = description_}, kAskingDevice)
      .process_index;
}

std::string DeviceDescription::kind() const {
  auto args = call(*plugin_, &c::Api::device_description_kind, {.device_description = description_},
                   kAskingDevice);
  return {args.device_kind, args.device_kind_size};
}

std::string DeviceDescription::debug_string() const {
  auto args = call(*plugin_, &c::Api::device_description_to_string,
                   {.device_description = description_}, kAskingDevice);
  return {args.to_string, args.to_string_size};
}

std::vector<NamedValue> DeviceDescription::attributes() const {
  auto args = call(*plugin_, &c::Api::device_description_attributes,
                   {.device_description = description_}, kAskingDevice);
  return from_c(args.attributes, args.num_attributes);
}

DeviceDescription Device::description() const {
  auto args = call(*plugin_, &c::Api::device_get_description, {.device = device_}, kAskingDevice);
  return {*plugin_, args.device_description};
}

bool Device::is_addressable() const {
  return call(*plugin_, &c::Api::device_is_addressable, {.device = device_}, kAskingDevice)
      .is_addressable;
}

int Device::local_hardware_id() const {
  return call(*plugin_, &c::Api::device_local_hardware_id, {.device = device_}, kAskingDevice)
      .local_hardware_id;
}

std::optional<MemoryStats> Device::memory_stats() const {
  try {
    auto args = call(*plugin_, &c::Api::device_memory_stats, {.device = device_}, kAskingDevice);
    return MemoryStats{
        .in_use_bytes = args.bytes_in_use,
        .peak_bytes = if_set(args.peak_bytes_in_use_is_set, args.peak_bytes_in_use),
        .limit_bytes = if_set(args.bytes_limit_is_set, args.bytes_limit),
        .largest_allocation_bytes = if_set(args.largest_alloc_size_is_set, args.largest_alloc_size),
    };
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unimplemented) return std::nullopt;
    throw;
  }
}

std::vector<std::string> Device::memory_kinds() const {
  std::vector<std::string> kinds;
  for (c::Memory* memory : memories_of(*plugin_, device_))
    kinds.push_back(kind_of(*plugin_, memory));
  return kinds;
}

c::Memory* Device::memory(std::string_view kind) const {
  for (c::Memory* memory : memories_of(*plugin_, device_))
    if (kind_of(*plugin_, memory) == kind) return memory;
  fail(ErrorCode::device, "device ", description().id(), " has no ", kind, " memory, only ",
       join(memory_kinds(), ", "));
}

}  // namespace meshwright::pjrt
