// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/pjrt/buffer.h"
#include "meshwright/pjrt/device.h"
#include "meshwright/pjrt/event.h"
#include "meshwright/pjrt/handle.h"
#include "meshwright/pjrt/named_value.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::pjrt {

/// Bytes per device that the compiler plans for one execution.
struct CompiledMemoryStats {
  std::int64_t code_bytes = 0;
  std::int64_t argument_bytes = 0;
  std::int64_t output_bytes = 0;
  std::int64_t alias_bytes = 0;  // outputs that reuse the memory of donated arguments
  std::int64_t temp_bytes = 0;
  std::int64_t peak_bytes = 0;

  /// Returns the memory of a device while the program runs.
  std::int64_t total_bytes() const {
    return argument_bytes + output_bytes - alias_bytes + temp_bytes + code_bytes;
  }
};

/// A compiled program, with or without devices to run on.
class Executable {
 public:
  explicit Executable(Handle<c::Executable> handle) : handle_(std::move(handle)) {}

  std::string name() const;
  int num_replicas() const;
  int num_partitions() const;
  int num_outputs() const;
  /// Returns the type of each output on one device.
  std::vector<ArrayType> output_types() const;
  /// The optimized program in the plugin's format, and the name of that format.
  struct Program {
    std::string code;
    std::string format;
  };
  Program optimized_program() const;
  std::string serialize() const;

  /// Returns nullopt if the plugin does not support it.
  std::optional<CompiledMemoryStats> memory_stats() const;
  /// Returns the plugin's estimates by name; empty if the plugin does not provide any.
  std::map<std::string, double> costs() const;

 private:
  Handle<c::Executable> handle_;
};

/// The arguments and outputs of an execution. Allocated once and reused for every execution.
class ExecuteLists {
 public:
  ExecuteLists(std::size_t num_devices, std::size_t num_args, std::size_t num_outputs);
  // Copies would contain pointers into the original.
  ExecuteLists(const ExecuteLists&) = delete;
  ExecuteLists& operator=(const ExecuteLists&) = delete;

  std::size_t num_devices() const { return args_.size(); }
  std::size_t num_args() const { return num_args_; }
  std::size_t num_outputs() const { return num_outputs_; }

  void set_argument(std::size_t device, std::size_t index, const Buffer& buffer) {
    arg_storage_[device * num_args_ + index] = buffer.get();
  }
  c::Buffer* output(std::size_t device, std::size_t index) const {
    return output_storage_[device * num_outputs_ + index];
  }
  /// Sets the indices of arguments that the caller keeps even if the program declares them as
  /// donated.
  void keep_arguments(std::vector<std::int64_t> indices) { kept_ = std::move(indices); }

 private:
  friend class LoadedExecutable;
  std::size_t num_args_;
  std::size_t num_outputs_;
  std::vector<c::Buffer*> arg_storage_;
  std::vector<c::Buffer*> output_storage_;
  std::vector<c::Buffer* const*> args_;
  std::vector<c::Buffer**> outputs_;
  std::vector<c::Event*> events_;
  std::vector<std::int64_t> kept_;
};

/// A program on the devices for which it was compiled. Must not outlive its client.
class LoadedExecutable {
 public:
  LoadedExecutable() = default;
  explicit LoadedExecutable(Handle<c::LoadedExecutable> handle) : handle_(std::move(handle)) {}

  Executable executable() const;
  /// Returns the devices of this process, in the order of ExecuteLists.
  std::vector<Device> devices() const;
  /// Starts an execution. The caller owns the new outputs in `lists` (see take_output). `events`,
  /// if not empty, has one element per device and is set to events that are ready when their device
  /// is done. `run` is the run id that kernels see on the CPU; if it is 0, the plugin assigns one.
  /// Throws device if an argument has already been donated or does not match.
  void execute(ExecuteLists& lists, std::span<Event> events, int run = 0) const;
  Buffer take_output(ExecuteLists& lists, std::size_t device, std::size_t index) const;

  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  Handle<c::LoadedExecutable> handle_;
};

}  // namespace meshwright::pjrt
