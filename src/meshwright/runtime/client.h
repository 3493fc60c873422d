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
#include "meshwright/runtime/compile_cache.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::runtime {

struct ClientOptions {
  /// "cpu", "cuda" or "tpu".
  std::string platform = "cpu";
  /// Virtual devices of the CPU; other platforms have those they have.
  int num_devices = 1;
  /// Overrides every other way to name a plugin (plugin_choice.h).
  std::string plugin_path;
  /// Where compiled programs are kept; empty: nowhere.
  std::filesystem::path cache_folder = default_cache_folder();
  std::uint64_t cache_max_bytes = CompileCache::kDefaultMaxBytes;
};

/// One device, as it is when asked. What the plugin does not count is absent.
struct DeviceInfo {
  int id = 0;  // unique over all processes
  int process = 0;
  /// Of a TPU: the slice, within which all are joined by fast links, whatever their processes.
  std::optional<int> slice = {};
  /// Of a TPU: where it stands in its slice, if the plugin says so.
  std::optional<mesh::TorusPlace> place = {};
  std::string kind;  // "cpu", "NVIDIA H200", "TPU v5"
  std::vector<std::string> memory_kinds;
  std::optional<std::int64_t> in_use_bytes;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::int64_t> limit_bytes;
};

/// The devices of this process: a handle, cheap to copy. Opening takes 0.2 s on the CPU, so a
/// process does it once.
class Client {
 public:
  /// Throws device or invalid_argument, with a remedy, if the plugin or the devices are not there.
  explicit Client(const ClientOptions& options);

  int num_devices() const;
  /// "cpu", "cuda", "tpu" or what else the plugin calls itself.
  std::string platform() const;
  std::string platform_version() const;
  /// The devices of this process.
  std::vector<DeviceInfo> devices() const;

  /// An array on the first devices, laid out as said.
  DeviceArray put(const HostTensor& value,
                  const mesh::Mesh& mesh = {},
                  const mesh::Sharding& sharding = {},
                  HostMemoryUse use = HostMemoryUse::copy) const;
  /// The same of an array that is nowhere whole: `part` is asked once for each part by its number
  /// (ArrayLayout::ranges), and gives it in memory that nobody changes any more.
  DeviceArray put_parts(const SharedLayout& layout,
                        const std::function<HostTensor(std::size_t part)>& part) const;

  /// Lets programs call this kernel by graph::custom_call or in their text. Must come before they
  /// are compiled; those of a traced program's ops (OpDef::handler) are added by compile().
  void add_kernel(const pjrt::Kernel& kernel) const;

  /// Compiles a traced program for the devices of its mesh. `options` may choose them and set debug
  /// options; the numbers of devices come from the mesh. An argument or result without a sharding
  /// is whole on every device.
  Executable compile(const graph::Program& program, CompileOptions options = {}) const;
  /// Compiles StableHLO text; such a program takes shards only (run_shards).
  Executable compile_text(const std::string& stablehlo, const CompileOptions& options = {}) const;

 private:
  std::vector<pjrt::Device> first_devices(std::size_t num_wanted) const;

  std::shared_ptr<ClientState> state_;
};

/// The same as constructing a Client; reads well where it happens once.
inline Client open(const ClientOptions& options = {}) {
  return Client(options);
}

}  // namespace meshwright::runtime
