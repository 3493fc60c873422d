// SPDX-License-Identifier: Apache-2.0
// PJRT C interface: compiled and loaded programs.
#pragma once

#include "meshwright/pjrt/c/base.h"
#include "meshwright/pjrt/c/buffer.h"

namespace meshwright::pjrt::c {

struct Program {
  Header header{sizeof(Program)};
  char* code = nullptr;
  std::size_t code_size = 0;
  const char* format = nullptr;
  std::size_t format_size = 0;
};

struct ClientCompileArgs {
  Header header{sizeof(ClientCompileArgs)};
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* compile_options = nullptr;
  std::size_t compile_options_size = 0;
  LoadedExecutable* executable = nullptr;  // out
};

struct ExecutableDestroyArgs {
  Header header{sizeof(ExecutableDestroyArgs)};
  Executable* executable = nullptr;
};

struct LoadedExecutableDestroyArgs {
  Header header{sizeof(LoadedExecutableDestroyArgs)};
  LoadedExecutable* executable = nullptr;
};

struct LoadedExecutableGetExecutableArgs {
  Header header{sizeof(LoadedExecutableGetExecutableArgs)};
  LoadedExecutable* loaded_executable = nullptr;
  Executable* executable = nullptr;  // out, owned by the caller
};

struct LoadedExecutableAddressableDevicesArgs {
  Header header{sizeof(LoadedExecutableAddressableDevicesArgs)};
  LoadedExecutable* executable = nullptr;
  Device* const* addressable_devices = nullptr;  // out
  std::size_t num_addressable_devices = 0;       // out
};

struct ExecutableNameArgs {
  Header header{sizeof(ExecutableNameArgs)};
  Executable* executable = nullptr;
  const char* executable_name = nullptr;  // out
  std::size_t executable_name_size = 0;   // out
};

struct ExecutableNumReplicasArgs {
  Header header{sizeof(ExecutableNumReplicasArgs)};
  Executable* executable = nullptr;
  std::size_t num_replicas = 0;  // out
};

struct ExecutableNumPartitionsArgs {
  Header header{sizeof(ExecutableNumPartitionsArgs)};
  Executable* executable = nullptr;
  std::size_t num_partitions = 0;  // out
};

struct ExecutableNumOutputsArgs {
  Header header{sizeof(ExecutableNumOutputsArgs)};
  Executable* executable = nullptr;
  std::size_t num_outputs = 0;  // out
};

struct ExecutableOptimizedProgramArgs {
  Header header{sizeof(ExecutableOptimizedProgramArgs)};
  Executable* executable = nullptr;
  // in and out: the first call returns the size, the second fills in the code
  Program* program = nullptr;
};

struct ExecutableOutputElementTypesArgs {
  Header header{sizeof(ExecutableOutputElementTypesArgs)};
  Executable* executable = nullptr;
  BufferType* output_types = nullptr;  // out
  std::size_t num_output_types = 0;    // out
};

struct ExecutableOutputDimensionsArgs {
  Header header{sizeof(ExecutableOutputDimensionsArgs)};
  Executable* executable = nullptr;
  std::size_t num_outputs = 0;
  const std::int64_t* dims = nullptr;      // out, the sizes of all outputs, concatenated
  const std::size_t* dim_sizes = nullptr;  // out, the rank of each output
};

struct ExecutableGetCostAnalysisArgs {
  Header header{sizeof(ExecutableGetCostAnalysisArgs)};
  Executable* executable = nullptr;
  std::size_t num_properties = 0;          // out
  const NamedValue* properties = nullptr;  // out
};

struct ExecutableGetCompiledMemoryStatsArgs {
  Header header{sizeof(ExecutableGetCompiledMemoryStatsArgs)};
  Executable* executable = nullptr;
  std::int64_t generated_code_size_in_bytes = 0;  // out, like all that follow
  std::int64_t argument_size_in_bytes = 0;
  std::int64_t output_size_in_bytes = 0;
  std::int64_t alias_size_in_bytes = 0;
  std::int64_t temp_size_in_bytes = 0;
  std::int64_t host_generated_code_size_in_bytes = 0;
  std::int64_t host_argument_size_in_bytes = 0;
  std::int64_t host_output_size_in_bytes = 0;
  std::int64_t host_alias_size_in_bytes = 0;
  std::int64_t host_temp_size_in_bytes = 0;
  std::int64_t peak_memory_in_bytes = 0;
};

struct ExecutableSerializeArgs {
  Header header{sizeof(ExecutableSerializeArgs)};
  const Executable* executable = nullptr;
  const char* serialized_bytes = nullptr;                                  // out
  std::size_t serialized_bytes_size = 0;                                   // out
  SerializedExecutable* serialized_executable = nullptr;                   // out, owns the bytes
  void (*serialized_executable_deleter)(SerializedExecutable*) = nullptr;  // out
};

struct ExecutableDeserializeAndLoadArgs {
  Header header{sizeof(ExecutableDeserializeAndLoadArgs)};
  Client* client = nullptr;
  const char* serialized_executable = nullptr;
  std::size_t serialized_executable_size = 0;
  LoadedExecutable* loaded_executable = nullptr;  // out
  const char* overridden_serialized_compile_options = nullptr;
  std::size_t overridden_serialized_compile_options_size = 0;
};

struct ExecuteOptions {
  Header header{sizeof(ExecuteOptions)};
  void* send_callbacks = nullptr;
  void* recv_callbacks = nullptr;
  std::size_t num_send_ops = 0;
  std::size_t num_recv_ops = 0;
  int launch_id = 0;
  const std::int64_t* non_donatable_input_indices = nullptr;
  std::size_t num_non_donatable_input_indices = 0;
  ExecuteContext* context = nullptr;
  const char* call_location = nullptr;
  std::size_t num_tasks = 0;
  int* task_ids = nullptr;
  std::int64_t* incarnation_ids = nullptr;
};

struct LoadedExecutableExecuteArgs {
  Header header{sizeof(LoadedExecutableExecuteArgs)};
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* argument_lists = nullptr;  // [num_devices][num_args]
  std::size_t num_devices = 0;
  std::size_t num_args = 0;
  Buffer** const* output_lists = nullptr;    // [num_devices][num_outputs], filled by the call
  Event** device_complete_events = nullptr;  // [num_devices], filled by the call
  Device* execute_device = nullptr;
};

struct CompileArgs {
  Header header{sizeof(CompileArgs)};
  const TopologyDescription* topology = nullptr;
  const Program* program = nullptr;
  const char* compile_options = nullptr;
  std::size_t compile_options_size = 0;
  Client* client = nullptr;          // optional
  Executable* executable = nullptr;  // out
};

}  // namespace meshwright::pjrt::c
