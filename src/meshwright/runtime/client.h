// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/mesh/torus.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/runtime/ahead_of_time.h"
#include "meshwright/runtime/compile_cache.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

struct ProgramBundle;

inline constexpr double kDefaultMemoryFraction = 0.95;

struct ClientOptions {
  /// "cpu", "cuda" or "tpu".
  std::string platform = "cpu";
  /// Number of virtual devices on the CPU. Ignored on other platforms.
  int num_devices = 1;
  /// GPUs only: the part of each GPU's memory that arrays and programs may take. The context,
  /// libraries and NCCL need the rest.
  double memory_fraction = kDefaultMemoryFraction;
  /// GPUs only: take that memory at once, which prevents fragmentation. Without it, processes can
  /// share a GPU.
  bool preallocate = true;
  /// Path of the plugin. Overrides all other sources (see plugin_choice.h).
  std::string plugin_path;
  /// Folder for compiled programs. If empty, they are not cached.
  std::filesystem::path cache_folder = default_cache_folder();
  std::uint64_t cache_max_bytes = CompileCache::kDefaultMaxBytes;
  /// File of programs that were compiled ahead for these devices (see program_bundle.h). They are
  /// loaded instead of compiled.
  std::string bundle;
};

/// The current state of a device. Values that the plugin does not report are absent.
struct DeviceInfo {
  int id = 0;  // unique across processes
  int process = 0;
  /// TPU only: the slice. Fast links connect all its devices, even across processes.
  std::optional<int> slice = {};
  /// TPU only: the position in the slice, if the plugin reports it.
  std::optional<mesh::TorusPlace> place = {};
  std::string kind;  // such as "cpu", "NVIDIA H200" or "TPU v5"
  /// GPUs only: the compute capability times 10, such as 90 for Hopper; 0 if unknown.
  int compute_capability = 0;
  std::vector<std::string> memory_kinds;
  std::optional<std::int64_t> in_use_bytes;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::int64_t> limit_bytes;
};

/// The devices of this process. A handle, cheap to copy. Opening a client takes 0.2 s on the CPU,
/// so do it only once per process.
class Client {
 public:
  /// Throws device or invalid_argument, with a remedy, if the plugin or the devices are unavailable
  /// or the bundle is for others.
  explicit Client(const ClientOptions& options);

  int num_devices() const;
  /// Returns the platform name that the plugin reports, such as "cpu", "cuda" or "tpu".
  std::string platform() const;
  std::string platform_version() const;
  /// Describes the devices of this process.
  std::vector<DeviceInfo> devices() const;

  /// Creates an array with this layout on the first devices.
  DeviceArray put(const HostTensor& value,
                  const mesh::Mesh& mesh = {},
                  const mesh::Sharding& sharding = {},
                  HostMemoryUse use = HostMemoryUse::copy) const;
  /// Creates an array from its shards, so that the whole array need not exist. Calls `part` once
  /// per shard, with the shard's index (see ArrayLayout::ranges). The memory that `part` returns
  /// must not be modified afterwards.
  DeviceArray put_shards(const SharedLayout& layout,
                         const std::function<HostTensor(std::size_t part)>& part) const;

  /// Makes a kernel callable from graph::custom_call and from program text. Call this before
  /// compiling programs that use the kernel. compile() itself adds the kernels of a traced
  /// program's ops (OpDef::handler).
  void add_kernel(const pjrt::Kernel& kernel) const;

  /// Compiles a traced program for the devices of its mesh. `options` may select devices and set
  /// debug options; the mesh determines the number of devices. Arguments and results without a
  /// sharding are replicated.
  Executable compile(const graph::Program& program, const CompileOptions& options = {}) const;
  /// Compiles a program for these devices, for a bundle.
  AheadOfTimeProgram compile_ahead(const graph::Program& program,
                                   const CompileOptions& options = {}) const;
  /// Returns the compiler and the devices of its programs.
  BuildTarget target() const;
  /// Returns the bundle of ClientOptions; nullptr if there is none.
  const ProgramBundle* bundle() const;
  /// True if compile() would load this program from the bundle.
  bool is_bundled(const graph::Program& program, const CompileOptions& options = {}) const;

  /// Compiles StableHLO text. Run the result with run_shards().
  Executable compile_text(const std::string& stablehlo,
                          const pjrt::CompileOptions& options = {}) const;

 private:
  std::vector<pjrt::Device> first_devices(std::size_t num_wanted) const;

  std::shared_ptr<ClientState> state_;
};

/// Opens a client. Use this rather than the constructor for readability.
inline Client open(const ClientOptions& options = {}) {
  return Client(options);
}

}  // namespace meshwright::runtime
