// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/client.h"

#include "meshwright/base/error.h"
#include "meshwright/pjrt/buffer_type.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/handover.h"
#include "meshwright/pjrt/program.h"

namespace meshwright::pjrt {
namespace {

constexpr std::string_view kDoing = "querying the devices";

c::HostBufferSemantics to_c(HostMemory memory) {
  switch (memory) {
    case HostMemory::copied_during_call:
      return c::HostBufferSemantics::immutable_only_during_call;
    case HostMemory::kept_until_copied:
      return c::HostBufferSemantics::immutable_until_transfer_completes;
    case HostMemory::shared_read_only:
      return c::HostBufferSemantics::immutable_zero_copy;
    case HostMemory::shared_writable:
      return c::HostBufferSemantics::mutable_zero_copy;
  }
  return c::HostBufferSemantics::immutable_only_during_call;
}

std::vector<Device> wrap(const Plugin& plugin, c::Device* const* devices, std::size_t num_devices) {
  std::vector<Device> out;
  for (std::size_t i = 0; i < num_devices; ++i)
    out.emplace_back(plugin, devices[i]);
  return out;
}

Handle<c::Client> create(const Plugin& plugin,
                         const std::vector<NamedValue>& options,
                         const KeyValueStore* store) {
  std::vector<c::NamedValue> c_options = to_c(options);
  c::ClientCreateArgs args{.create_options = c_options.data(), .num_options = c_options.size()};
  if (store != nullptr) set_key_value_store(args, *store);
  args = call(plugin, &c::Api::client_create, args, "opening the devices");
  return {plugin, args.client};
}

}  // namespace

Client::Client(const Plugin& plugin,
               const std::vector<NamedValue>& options,
               std::unique_ptr<const KeyValueStore> store)
    : store_(std::move(store)), handle_(create(plugin, options, store_.get())) {
  auto all = call(plugin, &c::Api::client_devices, {.client = handle_.get()}, kDoing);
  devices_ = wrap(plugin, all.devices, all.num_devices);
  auto own = call(plugin, &c::Api::client_addressable_devices, {.client = handle_.get()}, kDoing);
  addressable_devices_ = wrap(plugin, own.addressable_devices, own.num_addressable_devices);
}

std::string Client::platform_name() const {
  auto args = call(plugin(), &c::Api::client_platform_name, {.client = handle_.get()}, kDoing);
  return {args.platform_name, args.platform_name_size};
}

std::string Client::platform_version() const {
  auto args = call(plugin(), &c::Api::client_platform_version, {.client = handle_.get()}, kDoing);
  return {args.platform_version, args.platform_version_size};
}

int Client::process_index() const {
  return call(plugin(), &c::Api::client_process_index, {.client = handle_.get()}, kDoing)
      .process_index;
}

LoadedExecutable Client::compile(std::string_view program,
                                 const CompileOptions& options,
                                 ProgramFormat format) const {
  std::string proto = serialize(options);
  c::Program c_program = program_view(program, format);
  auto args = call(plugin(), &c::Api::client_compile,
                   {.client = handle_.get(),
                    .program = &c_program,
                    .compile_options = proto.data(),
                    .compile_options_size = proto.size()},
                   "compiling a program");
  return LoadedExecutable(Handle(plugin(), args.executable));
}

LoadedExecutable Client::load(std::string_view serialized) const {
  auto args = call(plugin(), &c::Api::executable_deserialize_and_load,
                   {.client = handle_.get(),
                    .serialized_executable = serialized.data(),
                    .serialized_executable_size = serialized.size()},
                   "loading a compiled program");
  return LoadedExecutable(Handle(plugin(), args.loaded_executable));
}

Buffer Client::buffer_from_host(const void* data,
                                const ArrayType& type,
                                const Device& device,
                                HostMemory memory,
                                Event* done,
                                std::string_view memory_kind) const {
  hand_over(&kArrayElements);
  auto args = call(plugin(), &c::Api::client_buffer_from_host_buffer,
                   {.client = handle_.get(),
                    .data = data,
                    .type = to_c(type.dtype),
                    .dims = type.dims.data(),
                    .num_dims = type.dims.size(),
                    .host_buffer_semantics = to_c(memory),
                    .device = device.get(),
                    .memory = memory_kind.empty() ? nullptr : device.memory(memory_kind)},
                   "copying an array to a device");
  Event event(Handle(plugin(), args.done_with_host_buffer));
  if (done != nullptr) *done = std::move(event);
  return Buffer(Handle(plugin(), args.buffer));
}

}  // namespace meshwright::pjrt
