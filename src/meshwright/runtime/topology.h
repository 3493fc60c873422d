// SPDX-License-Identifier: Apache-2.0
// Ahead-of-time compilation for other machines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/runtime/ahead_of_time.h"
#include "meshwright/runtime/build_target.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/executable.h"

namespace meshwright::pjrt {
class Topology;
}  // namespace meshwright::pjrt

namespace meshwright::runtime {

struct TopologyOptions {
  /// "cuda" or "tpu". The CPU plugin has no topologies.
  std::string platform;
  /// The plugin's name for the topology. For example, "v5p:4x4x4" is 64 TPU v5p chips.
  std::string name;
  /// Additional options for the plugin. For CUDA: `topology` (such as "1 x 8 x 1") and
  /// `target_config` (a GpuTargetConfigProto as text).
  std::vector<std::pair<std::string, std::string>> options;
  std::string plugin_path;
};

/// The devices of one or more other machines. Opens no client.
class Topology {
 public:
  /// Throws device, with a remedy, if the plugin is missing or does not know the topology, and
  /// invalid_argument if XLA rejects XLA_FLAGS.
  explicit Topology(const TopologyOptions& options);

  int num_devices() const;
  std::vector<DeviceInfo> devices() const;
  /// Returns text such as "TPU v5" or "NVIDIA H200".
  std::string device_kind() const;
  /// Returns the compiler and the devices of its programs.
  BuildTarget target() const;
  /// Throws device unless the program's mesh has exactly as many devices as the topology.
  AheadOfTimeProgram compile(const graph::Program& program,
                             const CompileOptions& options = {}) const;

  /// Compiles StableHLO text.
  AheadOfTimeProgram compile_text(const std::string& stablehlo,
                                  const pjrt::CompileOptions& options) const;

 private:
  std::shared_ptr<const pjrt::Topology> state_;
};

}  // namespace meshwright::runtime
