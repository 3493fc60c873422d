// SPDX-License-Identifier: Apache-2.0
// The binary interface of XLA's typed custom calls, as seen by a handler. Official names map as
// follows: XLA_FFI_CallFrame -> ffi::CallFrame. Included by pjrt/*.cc only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/pjrt/c/base.h"

namespace meshwright::pjrt::c {

// The plugin extension that registers handlers.

struct FfiRegisterHandlerArgs {
  std::size_t struct_size = sizeof(FfiRegisterHandlerArgs);
  const char* target_name = nullptr;
  std::size_t target_name_size = 0;
  void* handler = nullptr;
  const char* platform_name = nullptr;
  std::size_t platform_name_size = 0;
  std::uint32_t traits = 0;
};

struct FfiExtension {
  ExtensionBase base;
  void (*type_register)() = nullptr;
  void (*user_data_add)() = nullptr;
  Function<FfiRegisterHandlerArgs> register_handler = nullptr;
};

namespace ffi {

struct Api;
struct InternalApi;
struct InvokeContext;
struct Error;
struct Future;

enum class InternalExtensionType : int { metadata = 1 };

struct InternalExtension {
  std::size_t struct_size = sizeof(InternalExtension);
  InternalExtensionType type = InternalExtensionType::metadata;
  InternalExtension* next = nullptr;
};

struct Header {
  std::size_t struct_size;
  InternalExtension* extension_start = nullptr;
};

template <typename Args>
using Function = Error* (*)(Args*);

struct ApiVersion {
  Header header{sizeof(ApiVersion)};
  int major_version = 0;
  int minor_version = 0;
};

/// The version of the interface that this file describes.
inline constexpr int kApiMajor = 0;
inline constexpr int kApiMinor = 4;

enum class DataType : int {
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
  bf16 = 16,
  token = 17,
  f8e5m2 = 19,
  f8e4m3fn = 20,
  s4 = 21,
  u4 = 22,
};

struct Buffer {
  Header header{sizeof(Buffer)};
  DataType dtype = DataType::invalid;
  void* data = nullptr;
  std::int64_t rank = 0;
  std::int64_t* dims = nullptr;
};

enum class ArgType : int { buffer = 1 };
enum class RetType : int { buffer = 1 };
enum class AttrType : int { array = 1, dictionary = 2, scalar = 3, string = 4 };

struct ByteSpan {
  const char* ptr;
  std::size_t len;
};

struct Scalar {
  DataType dtype;
  void* value;
};

struct Array {
  DataType dtype;
  std::size_t size;
  void* data;
};

struct Args {
  Header header{sizeof(Args)};
  std::int64_t size = 0;
  ArgType* types = nullptr;
  void** args = nullptr;
};

struct Rets {
  Header header{sizeof(Rets)};
  std::int64_t size = 0;
  RetType* types = nullptr;
  void** rets = nullptr;
};

struct Attrs {
  Header header{sizeof(Attrs)};
  std::int64_t size = 0;
  AttrType* types = nullptr;
  ByteSpan** names = nullptr;
  void** attrs = nullptr;
};

enum class ExecutionStage : int {
  instantiate = 0,
  prepare = 1,
  initialize = 2,
  execute = 3,
  record = 4,
};

struct CallFrame {
  Header header{sizeof(CallFrame)};
  const Api* api = nullptr;
  InvokeContext* ctx = nullptr;
  ExecutionStage stage = ExecutionStage::execute;
  Args args;
  Rets rets;
  Attrs attrs;
  Future* future = nullptr;  // out: set by a handler that completes later
};

using Handler = Error* (*)(CallFrame*);

struct TypeId {
  std::int64_t type_id;
};

struct Metadata {
  std::size_t struct_size = sizeof(Metadata);
  ApiVersion api_version;
  std::uint32_t traits = 0;
  TypeId state_type_id{};
};

struct MetadataExtension {
  InternalExtension extension_base;
  Metadata* metadata = nullptr;
};

enum class ErrorCode : int {
  ok = 0,
  unknown = 2,
  invalid_argument = 3,
  internal = 13,
};

struct ErrorCreateArgs {
  Header header{sizeof(ErrorCreateArgs)};
  const char* message = nullptr;  // zero-terminated; copied
  ErrorCode errc = ErrorCode::internal;
};

struct ErrorDestroyArgs {
  Header header{sizeof(ErrorDestroyArgs)};
  Error* error = nullptr;
};

struct FutureCreateArgs {
  Header header{sizeof(FutureCreateArgs)};
  Future* future = nullptr;  // out
};

struct FutureSetAvailableArgs {
  Header header{sizeof(FutureSetAvailableArgs)};
  Future* future = nullptr;
};

struct FutureSetErrorArgs {
  Header header{sizeof(FutureSetErrorArgs)};
  Future* future = nullptr;
  Error* error = nullptr;  // ownership is transferred
};

struct ThreadPoolScheduleArgs {
  Header header{sizeof(ThreadPoolScheduleArgs)};
  InvokeContext* ctx = nullptr;
  void (*task)(void* data) = nullptr;
  void* data = nullptr;
};

struct ThreadPoolNumThreadsArgs {
  Header header{sizeof(ThreadPoolNumThreadsArgs)};
  InvokeContext* ctx = nullptr;
  std::int64_t* num_threads = nullptr;  // out
};

struct RunIdGetArgs {
  Header header{sizeof(RunIdGetArgs)};
  InvokeContext* ctx = nullptr;
  std::int64_t run_id = 0;  // out
};

struct DeviceOrdinalGetArgs {
  Header header{sizeof(DeviceOrdinalGetArgs)};
  InvokeContext* ctx = nullptr;
  std::int32_t device_ordinal = 0;  // out
};

struct StreamGetArgs {
  Header header{sizeof(StreamGetArgs)};
  InvokeContext* ctx = nullptr;
  void* stream = nullptr;  // out
};

/// Placeholder for a function that is not used.
using Slot = void (*)();

struct Api {
  Header header;
  ApiVersion api_version;
  const InternalApi* internal_api;

  Function<ErrorCreateArgs> error_create;
  Slot error_get_details;
  void (*error_destroy)(ErrorDestroyArgs*);
  Slot handler_register;
  Function<StreamGetArgs> stream_get;
  Slot type_register;
  Slot invoke_context_get;
  Slot state_set;
  Slot state_get;
  Slot device_memory_allocate;
  Slot device_memory_free;
  Function<ThreadPoolScheduleArgs> thread_pool_schedule;
  Function<ThreadPoolNumThreadsArgs> thread_pool_num_threads;
  Function<FutureCreateArgs> future_create;
  Function<FutureSetAvailableArgs> future_set_available;
  Function<FutureSetErrorArgs> future_set_error;
  Function<RunIdGetArgs> run_id_get;
  Function<DeviceOrdinalGetArgs> device_ordinal_get;
};

}  // namespace ffi
}  // namespace meshwright::pjrt::c
