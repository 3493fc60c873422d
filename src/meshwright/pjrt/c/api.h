// SPDX-License-Identifier: Apache-2.0
// The binary interface of a PJRT plugin, declared by hand: only the structs in use, in the order
// and with the sizes of the C header (tests/peer compares each one with the official file).
// Official names map as follows: PJRT_Client_Create -> client_create, PJRT_Client_Create_Args ->
// ClientCreateArgs. Included by pjrt/*.cc only.
#pragma once

#include "meshwright/pjrt/c/buffer.h"
#include "meshwright/pjrt/c/client.h"
#include "meshwright/pjrt/c/executable.h"

namespace meshwright::pjrt::c {

/// Placeholder for a function that is not used.
using Slot = void (*)();

/// The table of functions that a plugin's GetPjrtApi returns. `header.struct_size` is the size of
/// the plugin's table. Entries beyond it must not be read, so check Plugin::offers() first.
struct Api {
  Header header;
  ApiVersion version;

  void (*error_destroy)(ErrorDestroyArgs*);
  void (*error_message)(ErrorMessageArgs*);
  Function<ErrorGetCodeArgs> error_get_code;

  Function<PluginInitializeArgs> plugin_initialize;
  Function<PluginAttributesArgs> plugin_attributes;

  Function<EventDestroyArgs> event_destroy;
  Function<EventIsReadyArgs> event_is_ready;
  Function<EventErrorArgs> event_error;
  Function<EventAwaitArgs> event_await;
  Function<EventOnReadyArgs> event_on_ready;

  Function<ClientCreateArgs> client_create;
  Function<ClientDestroyArgs> client_destroy;
  Function<ClientPlatformNameArgs> client_platform_name;
  Function<ClientProcessIndexArgs> client_process_index;
  Function<ClientPlatformVersionArgs> client_platform_version;
  Function<ClientDevicesArgs> client_devices;
  Function<ClientAddressableDevicesArgs> client_addressable_devices;
  Slot client_lookup_device;
  Slot client_lookup_addressable_device;
  Slot client_addressable_memories;
  Function<ClientCompileArgs> client_compile;
  Slot client_default_device_assignment;
  Function<ClientBufferFromHostBufferArgs> client_buffer_from_host_buffer;

  Function<DeviceDescriptionIdArgs> device_description_id;
  Function<DeviceDescriptionProcessIndexArgs> device_description_process_index;
  Function<DeviceDescriptionAttributesArgs> device_description_attributes;
  Function<DeviceDescriptionKindArgs> device_description_kind;
  Slot device_description_debug_string;
  Function<DeviceDescriptionToStringArgs> device_description_to_string;

  Function<DeviceGetDescriptionArgs> device_get_description;
  Function<DeviceIsAddressableArgs> device_is_addressable;
  Function<DeviceLocalHardwareIdArgs> device_local_hardware_id;
  Function<DeviceAddressableMemoriesArgs> device_addressable_memories;
  Function<DeviceDefaultMemoryArgs> device_default_memory;
  Function<DeviceMemoryStatsArgs> device_memory_stats;

  Slot memory_id;
  Function<MemoryKindArgs> memory_kind;
  Slot memory_debug_string;
  Slot memory_to_string;
  Slot memory_addressable_by_devices;

  Function<ExecutableDestroyArgs> executable_destroy;
  Function<ExecutableNameArgs> executable_name;
  Function<ExecutableNumReplicasArgs> executable_num_replicas;
  Function<ExecutableNumPartitionsArgs> executable_num_partitions;
  Function<ExecutableNumOutputsArgs> executable_num_outputs;
  Slot executable_size_of_generated_code_in_bytes;
  Function<ExecutableGetCostAnalysisArgs> executable_get_cost_analysis;
  Slot executable_output_memory_kinds;
  Function<ExecutableOptimizedProgramArgs> executable_optimized_program;
  Function<ExecutableSerializeArgs> executable_serialize;

  Function<LoadedExecutableDestroyArgs> loaded_executable_destroy;
  Function<LoadedExecutableGetExecutableArgs> loaded_executable_get_executable;
  Function<LoadedExecutableAddressableDevicesArgs> loaded_executable_addressable_devices;
  Slot loaded_executable_delete;
  Slot loaded_executable_is_deleted;
  Function<LoadedExecutableExecuteArgs> loaded_executable_execute;
  Function<ExecutableDeserializeAndLoadArgs> executable_deserialize_and_load;
  Slot loaded_executable_fingerprint;

  Function<BufferDestroyArgs> buffer_destroy;
  Function<BufferElementTypeArgs> buffer_element_type;
  Function<BufferDimensionsArgs> buffer_dimensions;
  Slot buffer_unpadded_dimensions;
  Slot buffer_dynamic_dimension_indices;
  Slot buffer_get_memory_layout;
  Function<BufferOnDeviceSizeInBytesArgs> buffer_on_device_size_in_bytes;
  Function<BufferDeviceArgs> buffer_device;
  Slot buffer_memory;
  Function<BufferDeleteArgs> buffer_delete;
  Function<BufferIsDeletedArgs> buffer_is_deleted;
  Function<BufferCopyToDeviceArgs> buffer_copy_to_device;
  Function<BufferToHostBufferArgs> buffer_to_host_buffer;
  Function<BufferIsOnCpuArgs> buffer_is_on_cpu;
  Function<BufferReadyEventArgs> buffer_ready_event;
  Function<BufferUnsafePointerArgs> buffer_unsafe_pointer;
  Function<BufferExternalReferenceArgs> buffer_increase_external_reference_count;
  Function<BufferExternalReferenceArgs> buffer_decrease_external_reference_count;
  Slot buffer_opaque_device_memory_data_pointer;

  Slot copy_to_device_stream_destroy;
  Slot copy_to_device_stream_add_chunk;
  Slot copy_to_device_stream_total_bytes;
  Slot copy_to_device_stream_granule_size;
  Slot copy_to_device_stream_current_bytes;

  Function<TopologyDescriptionCreateArgs> topology_description_create;
  Function<TopologyDescriptionDestroyArgs> topology_description_destroy;
  Function<TopologyDescriptionPlatformNameArgs> topology_description_platform_name;
  Function<TopologyDescriptionPlatformVersionArgs> topology_description_platform_version;
  Function<TopologyDescriptionGetDeviceDescriptionsArgs>
      topology_description_get_device_descriptions;
  Slot topology_description_serialize;
  Slot topology_description_attributes;

  Function<CompileArgs> compile;

  Function<ExecutableOutputElementTypesArgs> executable_output_element_types;
  Function<ExecutableOutputDimensionsArgs> executable_output_dimensions;
  Slot buffer_copy_to_memory;
  Slot client_create_view_of_device_buffer;
  Slot executable_fingerprint;
  Function<ClientTopologyDescriptionArgs> client_topology_description;
  Function<ExecutableGetCompiledMemoryStatsArgs> executable_get_compiled_memory_stats;
};

}  // namespace meshwright::pjrt::c
