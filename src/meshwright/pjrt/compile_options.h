// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace meshwright::pjrt {

enum class ProgramFormat {
  stablehlo,  // text or MLIR bytecode
  hlo,        // xla.HloModuleProto
};

/// How a program is compiled.
struct CompileOptions {
  using DebugValue = std::variant<std::string, bool, std::int64_t, double>;

  int num_replicas = 1;
  int num_partitions = 1;
  /// Device ids, [num_replicas][num_partitions] in row-major order; empty: 0, 1, 2, ...
  std::vector<int> device_ids;
  /// Options of XLA for this program only, by their names in XLA_FLAGS without the dashes, as
  /// {"xla_cpu_enable_fast_math", true}. A name unknown to the plugin is an error.
  std::map<std::string, DebugValue> debug_options;
  /// Whether programs may call functions of ours where there are some; else plain ops do it.
  bool use_kernels = true;

  int num_devices() const { return num_replicas * num_partitions; }
  /// device_ids, or its default.
  std::vector<int> device_assignment() const;
};

/// The serialized CompileOptionsProto of XLA. Partitioning is by Shardy. Throws invalid_argument
/// if the numbers of devices do not agree.
std::string serialize(const CompileOptions& options);

}  // namespace meshwright::pjrt
