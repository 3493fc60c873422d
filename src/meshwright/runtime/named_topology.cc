// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/named_topology.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::runtime {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

// As in their data sheets. Links: those of all directions of the grid, half of what both ways sum
// to.
struct Tpu {
  std::string_view name, kind;
  int num_dims;  // of a grid of chips
  std::int64_t device_bytes;
  double memory_bytes_per_second, link_bytes_per_second;
};
constexpr std::array kTpus = {Tpu{"v4", "TPU v4", 3, 32 * kGiB, 1.228e12, 150e9},
                              Tpu{"v5e", "TPU v5 lite", 2, 16 * kGiB, 0.819e12, 100e9},
                              Tpu{"v5p", "TPU v5", 3, 95 * kGiB, 2.765e12, 300e9},
                              Tpu{"v6e", "TPU v6 lite", 2, 32 * kGiB, 1.64e12, 224e9}};
constexpr std::int64_t kTpuReserve = 256 << 20;
constexpr std::int64_t kChipsPerHost = 4;
constexpr double kTpuNetwork = 12.5e9;  // a share of the host's network, between slices

// GPUs as in their data sheets; the memory is what CUDA reports, in whole GiB.
struct Gpu {
  std::string_view name;
  std::string_view description;
  double memory_bytes_per_second;
  std::int64_t device_bytes;
};
constexpr std::array kGpus = {Gpu{"h100", "NVIDIA H100 80GB HBM3", 3.35e12, 79 * kGiB},
                              Gpu{"h200", "NVIDIA H200", 4.8e12, 139 * kGiB}};
constexpr double kNvlink = 450e9;
constexpr double kGpuNetwork = 50e9;  // one port of 400 Gbit/s for each GPU

[[noreturn]] void refuse(std::string_view name) {
  fail(ErrorCode::invalid_argument, "topology '", name,
       "' is not known\ndevices: ", join(topology_devices(), ", "),
       "; TPUs by their number or grid of chips (v5e:16, v5p:4x4x4), GPUs by their number on one "
       "host, or by hosts and GPUs of each (h100:8, h200:2x8)");
}

// Parses text such as "4x4x4".
std::optional<Dims> sizes_in(std::string_view text) {
  Dims out;
  for (;;) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 1 || size > 100'000) return std::nullopt;
    out.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return out;
    if (text[0] != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

// Returns the most cubic grid of a power of two of chips: 16 chips are 4x4 or 2x2x4.
std::optional<Dims> grid_of(std::int64_t num_chips, int num_dims) {
  if ((num_chips & (num_chips - 1)) != 0) return std::nullopt;
  Dims out(static_cast<std::size_t>(num_dims), 1);
  for (auto at = out.rbegin(); num_chips > 1; num_chips /= 2) {
    *at *= 2;
    if (++at == out.rend()) at = out.rbegin();
  }
  std::ranges::sort(out);
  // A host has 4 chips, in a plane.
  if (num_dims == 3 && out == Dims{1, 2, 2}) out = {2, 2, 1};
  return out;
}

NamedTopology tpus(const Tpu& tpu, const Dims& sizes, std::string_view name) {
  std::optional<Dims> grid = sizes;
  if (sizes.size() == 1) grid = grid_of(sizes[0], tpu.num_dims);
  if (!grid || std::ssize(*grid) != tpu.num_dims) refuse(name);
  return {.options = {.platform = "tpu",
                      .name = str(tpu.name, ":", join(*grid, "x")),
                      .options = {},
                      .plugin_path = {}},
          .device_bytes = tpu.device_bytes,
          .reserved_bytes = kTpuReserve,
          .speeds = {.memory_bytes = tpu.memory_bytes_per_second,
                     .near_bytes = tpu.link_bytes_per_second,
                     .far_bytes = kTpuNetwork,
                     .num_near = num_elements(*grid)},
          .device_kind = std::string(tpu.kind),
          .num_devices = num_elements(*grid),
          .devices_per_process = std::min(kChipsPerHost, num_elements(*grid)),
          .grid = *grid};
}

// A GpuTargetConfigProto of the Hopper generation.
std::string target_config(const Gpu& gpu) {
  return str("platform_name: \"CUDA\" device_description_str: \"", gpu.description,
             "\" gpu_device_info { cuda_compute_capability { major: 9 minor: 0 } core_count: 132 "
             "fpus_per_core: 128 threads_per_warp: 32 threads_per_block_limit: 1024 "
             "threads_per_core_limit: 2048 block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 "
             "block_dim_limit_z: 65535 registers_per_core_limit: 65536 "
             "registers_per_block_limit: 65536 shared_memory_per_block: 49152 "
             "shared_memory_per_block_optin: 232448 shared_memory_per_core: 233472 "
             "l2_cache_size: 52428800 clock_rate_ghz: 1.98 memory_bandwidth: ",
             static_cast<std::int64_t>(gpu.memory_bytes_per_second),
             " device_memory_size: ", gpu.device_bytes,
             " } dnn_version_info { major: 9 minor: 10 }");
}

// The first dimension varies fastest.
mesh::TorusPlace place_in(const Dims& grid, std::int64_t chip) {
  mesh::TorusPlace out{};
  for (std::size_t d = 0; d < grid.size(); ++d) {
    out[d] = chip % grid[d];
    chip /= grid[d];
  }
  return out;
}

NamedTopology gpus(const Gpu& gpu, const Dims& sizes, std::string_view name) {
  if (sizes.size() > 2) refuse(name);
  const std::int64_t hosts = sizes.size() == 2 ? sizes[0] : 1;
  NamedTopology out = {.options = {.platform = "cuda",
                                   .name = std::string(name),
                                   .options = {{"topology", str("1x", hosts, "x", sizes.back())},
                                               {"target_config", target_config(gpu)}},
                                   .plugin_path = {}},
                       .device_bytes = gpu.device_bytes,
                       .speeds = {.memory_bytes = gpu.memory_bytes_per_second,
                                  .near_bytes = kNvlink,
                                  .far_bytes = kGpuNetwork,
                                  .num_near = sizes.back()},
                       .device_kind = std::string(gpu.description),
                       .compute_capability = graph::kHopper,
                       .num_devices = hosts * sizes.back(),
                       .devices_per_process = sizes.back()};
  set_memory_fraction(out, kDefaultMemoryFraction);
  return out;
}

}  // namespace

void set_memory_fraction(NamedTopology& topology, double fraction) {
  if (topology.options.platform != "cuda") return;
  const auto usable = static_cast<double>(topology.device_bytes) * fraction;
  topology.reserved_bytes = topology.device_bytes - static_cast<std::int64_t>(usable);
}

NamedTopology named_topology(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view device = name.substr(0, colon);
  const std::optional<Dims> sizes = colon == name.npos ? Dims{1} : sizes_in(name.substr(colon + 1));
  if (!sizes) refuse(name);
  for (const Tpu& tpu : kTpus)
    if (device == tpu.name) return tpus(tpu, *sizes, name);
  for (const Gpu& gpu : kGpus)
    if (device == gpu.name) return gpus(gpu, *sizes, name);
  refuse(name);
}

std::vector<DeviceInfo> devices_of(const NamedTopology& topology) {
  std::vector<DeviceInfo> out;
  for (std::int64_t id = 0; id < topology.num_devices; ++id) {
    DeviceInfo device{.id = static_cast<int>(id),
                      .process = static_cast<int>(id / topology.devices_per_process),
                      .kind = topology.device_kind,
                      .compute_capability = topology.compute_capability};
    if (!topology.grid.empty()) {
      device.slice = 0;
      device.place = place_in(topology.grid, id);
    }
    out.push_back(std::move(device));
  }
  return out;
}

std::vector<std::string> topology_devices() {
  std::vector<std::string> out;
  for (const Tpu& tpu : kTpus)
    out.emplace_back(tpu.name);
  for (const Gpu& gpu : kGpus)
    out.emplace_back(gpu.name);
  return out;
}

}  // namespace meshwright::runtime
