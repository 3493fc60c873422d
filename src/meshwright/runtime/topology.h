// SPDX-License-Identifier: Apache-2.0
// Compiling for machines that are not here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/pjrt/executable.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::pjrt {
class Topology;
}  // namespace meshwright::pjrt

namespace meshwright::runtime {

struct TopologyOptions {
  /// "cuda" or "tpu"; the CPU plugin describes no topologies.
  std::string platform;
  /// The plugin's name for it: "v5p:4x4x4" is 64 TPU v5p chips.
  std::string name;
  /// What the plugin needs beside the name: for CUDA `topology` ("1 x 8 x 1") and `target_config`
  /// (a GpuTargetConfigProto as text).
  std::vector<std::pair<std::string, std::string>> options;
  std::string plugin_path;
};

/// A program compiled ahead of time.
struct AheadOfTimeProgram {
  std::string serialized;  // loads on such machines, by the same plugin
  std::optional<pjrt::CompiledMemoryStats> memory;
  /// "flops", "bytes accessed", "optimal_seconds": what the plugin estimates, by its names.
  std::map<std::string, double> costs;
};

/// Devices of another machine, or of many. No client is opened.
class Topology {
 public:
  /// Throws device, with a remedy, if the plugin is not there or does not know the topology, and
  /// invalid_argument if XLA refuses XLA_FLAGS.
  explicit Topology(const TopologyOptions& options);

  int num_devices() const;
  /// "TPU v5", "NVIDIA H200".
  std::string device_kind() const;
  /// Throws device if the mesh of the program is not exactly as large as the topology.
  AheadOfTimeProgram compile(const graph::Program& program, CompileOptions options = {}) const;

 private:
  std::shared_ptr<const pjrt::Topology> state_;
};

}  // namespace meshwright::runtime
