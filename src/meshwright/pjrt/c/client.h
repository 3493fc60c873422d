// SPDX-License-Identifier: Apache-2.0
// PJRT C interface: clients, devices, memories and topologies.
#pragma once

#include "meshwright/pjrt/c/base.h"

namespace meshwright::pjrt::c {

struct KeyValueGetCallbackArgs {
  Header header{sizeof(KeyValueGetCallbackArgs)};
  const char* key = nullptr;
  std::size_t key_size = 0;
  int timeout_in_ms = 0;
  CallbackError* callback_error = nullptr;
  void* user_arg = nullptr;
  char* value = nullptr;                            // out
  std::size_t value_size = 0;                       // out
  void (*value_deleter_callback)(char*) = nullptr;  // out
};

struct KeyValueTryGetCallbackArgs {
  Header header{sizeof(KeyValueTryGetCallbackArgs)};
  const char* key = nullptr;
  std::size_t key_size = 0;
  CallbackError* callback_error = nullptr;
  void* user_arg = nullptr;
  char* value = nullptr;                            // out
  std::size_t value_size = 0;                       // out
  void (*value_deleter_callback)(char*) = nullptr;  // out
};

struct KeyValuePutCallbackArgs {
  Header header{sizeof(KeyValuePutCallbackArgs)};
  const char* key = nullptr;
  std::size_t key_size = 0;
  const char* value = nullptr;
  std::size_t value_size = 0;
  CallbackError* callback_error = nullptr;
  void* user_arg = nullptr;
};

struct ClientCreateArgs {
  Header header{sizeof(ClientCreateArgs)};
  const NamedValue* create_options = nullptr;
  std::size_t num_options = 0;
  Function<KeyValueGetCallbackArgs> kv_get_callback = nullptr;
  void* kv_get_user_arg = nullptr;
  Function<KeyValuePutCallbackArgs> kv_put_callback = nullptr;
  void* kv_put_user_arg = nullptr;
  Client* client = nullptr;  // out
  Function<KeyValueTryGetCallbackArgs> kv_try_get_callback = nullptr;
  void* kv_try_get_user_arg = nullptr;
};

struct ClientDestroyArgs {
  Header header{sizeof(ClientDestroyArgs)};
  Client* client = nullptr;
};

struct ClientPlatformNameArgs {
  Header header{sizeof(ClientPlatformNameArgs)};
  Client* client = nullptr;
  const char* platform_name = nullptr;  // out
  std::size_t platform_name_size = 0;   // out
};

struct ClientProcessIndexArgs {
  Header header{sizeof(ClientProcessIndexArgs)};
  Client* client = nullptr;
  int process_index = 0;  // out
};

struct ClientPlatformVersionArgs {
  Header header{sizeof(ClientPlatformVersionArgs)};
  Client* client = nullptr;
  const char* platform_version = nullptr;  // out
  std::size_t platform_version_size = 0;   // out
};

struct ClientTopologyDescriptionArgs {
  Header header{sizeof(ClientTopologyDescriptionArgs)};
  Client* client = nullptr;
  TopologyDescription* topology = nullptr;  // out, owned by the client
};

struct ClientDevicesArgs {
  Header header{sizeof(ClientDevicesArgs)};
  Client* client = nullptr;
  Device* const* devices = nullptr;  // out
  std::size_t num_devices = 0;       // out
};

struct ClientAddressableDevicesArgs {
  Header header{sizeof(ClientAddressableDevicesArgs)};
  Client* client = nullptr;
  Device* const* addressable_devices = nullptr;  // out
  std::size_t num_addressable_devices = 0;       // out
};

struct DeviceDescriptionIdArgs {
  Header header{sizeof(DeviceDescriptionIdArgs)};
  DeviceDescription* device_description = nullptr;
  int id = 0;  // out
};

struct DeviceDescriptionProcessIndexArgs {
  Header header{sizeof(DeviceDescriptionProcessIndexArgs)};
  DeviceDescription* device_description = nullptr;
  int process_index = 0;  // out
};

struct DeviceDescriptionAttributesArgs {
  Header header{sizeof(DeviceDescriptionAttributesArgs)};
  DeviceDescription* device_description = nullptr;
  std::size_t num_attributes = 0;          // out
  const NamedValue* attributes = nullptr;  // out
};

struct DeviceDescriptionKindArgs {
  Header header{sizeof(DeviceDescriptionKindArgs)};
  DeviceDescription* device_description = nullptr;
  const char* device_kind = nullptr;  // out
  std::size_t device_kind_size = 0;   // out
};

struct DeviceDescriptionToStringArgs {
  Header header{sizeof(DeviceDescriptionToStringArgs)};
  DeviceDescription* device_description = nullptr;
  const char* to_string = nullptr;  // out
  std::size_t to_string_size = 0;   // out
};

struct DeviceGetDescriptionArgs {
  Header header{sizeof(DeviceGetDescriptionArgs)};
  Device* device = nullptr;
  DeviceDescription* device_description = nullptr;  // out
};

struct DeviceIsAddressableArgs {
  Header header{sizeof(DeviceIsAddressableArgs)};
  Device* device = nullptr;
  bool is_addressable = false;  // out
};

struct DeviceLocalHardwareIdArgs {
  Header header{sizeof(DeviceLocalHardwareIdArgs)};
  Device* device = nullptr;
  int local_hardware_id = 0;  // out
};

struct DeviceAddressableMemoriesArgs {
  Header header{sizeof(DeviceAddressableMemoriesArgs)};
  Device* device = nullptr;
  Memory* const* memories = nullptr;  // out
  std::size_t num_memories = 0;       // out
};

struct DeviceDefaultMemoryArgs {
  Header header{sizeof(DeviceDefaultMemoryArgs)};
  Device* device = nullptr;
  Memory* memory = nullptr;  // out
};

struct DeviceMemoryStatsArgs {
  Header header{sizeof(DeviceMemoryStatsArgs)};
  Device* device = nullptr;
  std::int64_t bytes_in_use = 0;  // out, like all that follow
  std::int64_t peak_bytes_in_use = 0;
  bool peak_bytes_in_use_is_set = false;
  std::int64_t num_allocs = 0;
  bool num_allocs_is_set = false;
  std::int64_t largest_alloc_size = 0;
  bool largest_alloc_size_is_set = false;
  std::int64_t bytes_limit = 0;
  bool bytes_limit_is_set = false;
  std::int64_t bytes_reserved = 0;
  bool bytes_reserved_is_set = false;
  std::int64_t peak_bytes_reserved = 0;
  bool peak_bytes_reserved_is_set = false;
  std::int64_t bytes_reservable_limit = 0;
  bool bytes_reservable_limit_is_set = false;
  std::int64_t largest_free_block_bytes = 0;
  bool largest_free_block_bytes_is_set = false;
  std::int64_t pool_bytes = 0;
  bool pool_bytes_is_set = false;
  std::int64_t peak_pool_bytes = 0;
  bool peak_pool_bytes_is_set = false;
};

struct MemoryKindArgs {
  Header header{sizeof(MemoryKindArgs)};
  Memory* memory = nullptr;
  const char* kind = nullptr;  // out
  std::size_t kind_size = 0;   // out
};

struct TopologyDescriptionCreateArgs {
  Header header{sizeof(TopologyDescriptionCreateArgs)};
  const char* topology_name = nullptr;
  std::size_t topology_name_size = 0;
  const NamedValue* create_options = nullptr;
  std::size_t num_options = 0;
  TopologyDescription* topology = nullptr;  // out
};

struct TopologyDescriptionDestroyArgs {
  Header header{sizeof(TopologyDescriptionDestroyArgs)};
  TopologyDescription* topology = nullptr;
};

struct TopologyDescriptionPlatformNameArgs {
  Header header{sizeof(TopologyDescriptionPlatformNameArgs)};
  const TopologyDescription* topology = nullptr;
  const char* platform_name = nullptr;  // out
  std::size_t platform_name_size = 0;   // out
};

struct TopologyDescriptionPlatformVersionArgs {
  Header header{sizeof(TopologyDescriptionPlatformVersionArgs)};
  TopologyDescription* topology = nullptr;
  const char* platform_version = nullptr;  // out
  std::size_t platform_version_size = 0;   // out
};

struct TopologyDescriptionGetDeviceDescriptionsArgs {
  Header header{sizeof(TopologyDescriptionGetDeviceDescriptionsArgs)};
  const TopologyDescription* topology = nullptr;
  DeviceDescription* const* descriptions = nullptr;  // out
  std::size_t num_descriptions = 0;                  // out
};

}  // namespace meshwright::pjrt::c
