// SPDX-License-Identifier: Apache-2.0
// PJRT C interface: struct headers, errors, options and events.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::pjrt::c {

struct Error;
struct Event;
struct Client;
struct Device;
struct Memory;
struct DeviceDescription;
struct TopologyDescription;
struct Executable;
struct LoadedExecutable;
struct Buffer;  // NOLINT(bugprone-forward-declaration-namespace): ffi::Buffer is a different type
struct ExecuteContext;
struct SerializedExecutable;
struct SerializedTopology;

enum class ExtensionType : int {
  gpu_custom_call = 0,
  profiler = 1,
  custom_partitioner = 2,
  stream = 3,
  layouts = 4,
  ffi = 5,
  memory_descriptions = 6,
  triton = 7,
  raw_buffer = 8,
  phase_compile = 9,
  example = 10,
  unknown = 11,
  cross_host_transfers = 12,
  executable_metadata = 13,
  callback = 14,
  host_allocator = 15,
};

struct ExtensionBase {
  std::size_t struct_size = sizeof(ExtensionBase);
  ExtensionType type = ExtensionType::unknown;
  ExtensionBase* next = nullptr;
};

/// The header of every struct. Plugins accept sizes larger than the size they know.
struct Header {
  std::size_t struct_size;
  ExtensionBase* extension_start = nullptr;
};

/// A function of the interface. Returns nullptr on success.
template <typename Args>
using Function = Error* (*)(Args*);

struct ApiVersion {
  Header header{sizeof(ApiVersion)};
  int major_version = 0;
  int minor_version = 0;
};

enum class ErrorCode : int {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

struct ErrorDestroyArgs {
  Header header{sizeof(ErrorDestroyArgs)};
  Error* error = nullptr;
};

struct ErrorMessageArgs {
  Header header{sizeof(ErrorMessageArgs)};
  const Error* error = nullptr;
  const char* message = nullptr;  // out
  std::size_t message_size = 0;   // out
};

struct ErrorGetCodeArgs {
  Header header{sizeof(ErrorGetCodeArgs)};
  const Error* error = nullptr;
  ErrorCode code = ErrorCode::ok;  // out
};

using CallbackError = Error* (*)(ErrorCode code, const char* message, std::size_t message_size);

enum class NamedValueType : int { string = 0, int64 = 1, int64_list = 2, float32 = 3, boolean = 4 };

struct NamedValue {
  Header header{sizeof(NamedValue)};
  const char* name = nullptr;
  std::size_t name_size = 0;
  NamedValueType type = NamedValueType::string;
  union {
    const char* string_value = nullptr;
    std::int64_t int64_value;
    const std::int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  std::size_t value_size = 0;
};

struct PluginInitializeArgs {
  Header header{sizeof(PluginInitializeArgs)};
};

struct PluginAttributesArgs {
  Header header{sizeof(PluginAttributesArgs)};
  const NamedValue* attributes = nullptr;  // out
  std::size_t num_attributes = 0;          // out
};

struct EventDestroyArgs {
  Header header{sizeof(EventDestroyArgs)};
  Event* event = nullptr;
};

struct EventIsReadyArgs {
  Header header{sizeof(EventIsReadyArgs)};
  Event* event = nullptr;
  bool is_ready = false;  // out
};

struct EventErrorArgs {
  Header header{sizeof(EventErrorArgs)};
  Event* event = nullptr;
};

struct EventAwaitArgs {
  Header header{sizeof(EventAwaitArgs)};
  Event* event = nullptr;
};

struct EventOnReadyArgs {
  Header header{sizeof(EventOnReadyArgs)};
  Event* event = nullptr;
  void (*callback)(Error* error, void* user_arg) = nullptr;
  void* user_arg = nullptr;
};

}  // namespace meshwright::pjrt::c
