// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "meshwright/pjrt/buffer.h"
#include "meshwright/pjrt/compile_options.h"
#include "meshwright/pjrt/device.h"
#include "meshwright/pjrt/executable.h"
#include "meshwright/pjrt/handle.h"
#include "meshwright/pjrt/key_value.h"
#include "meshwright/pjrt/plugin.h"

namespace meshwright::pjrt {

/// How long the plugin may use the host memory passed to Client::buffer_from_host.
enum class HostMemory {
  copied_during_call,
  kept_until_copied,
  shared_read_only,  // the array may use it directly and never writes to it
  // the array may use it directly; an execution to which it is donated may write to it
  shared_writable,
};

/// The devices of a plugin, with their arrays and programs. Must outlive everything it creates.
class Client {
 public:
  /// On platforms that need it, `store` lets the processes find each other. It is null if there
  /// is a single process.
  Client(const Plugin& plugin,
         const std::vector<NamedValue>& options,
         std::unique_ptr<const KeyValueStore> store = nullptr);

  const Plugin& plugin() const { return handle_.plugin(); }
  std::string platform_name() const;
  std::string platform_version() const;
  int process_index() const;
  /// Returns the devices of all processes.
  const std::vector<Device>& devices() const { return devices_; }
  /// Returns the devices of this process.
  const std::vector<Device>& addressable_devices() const { return addressable_devices_; }

  LoadedExecutable compile(std::string_view program,
                           const CompileOptions& options,
                           ProgramFormat format = ProgramFormat::stablehlo) const;
  LoadedExecutable load(std::string_view serialized) const;

  /// Creates an array from dense row-major host memory. If `done` is not null, it is set to an
  /// event that is ready when the memory is no longer needed. `memory_kind` is that of the array;
  /// empty: the device's default.
  Buffer buffer_from_host(const void* data,
                          const ArrayType& type,
                          const Device& device,
                          HostMemory memory,
                          Event* done = nullptr,
                          std::string_view memory_kind = {}) const;

 private:
  std::unique_ptr<const KeyValueStore> store_;  // declared first: must outlive the client
  Handle<c::Client> handle_;
  std::vector<Device> devices_;
  std::vector<Device> addressable_devices_;
};

}  // namespace meshwright::pjrt
