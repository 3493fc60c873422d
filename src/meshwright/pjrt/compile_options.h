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

/// Options for compiling a program.
struct CompileOptions {
  using DebugValue = std::variant<std::string, bool, std::int64_t, double>;

  int num_replicas = 1;
  int num_partitions = 1;
  /// Device ids in row-major order, [num_replicas][num_partitions]. Defaults to 0, 1, 2, ...
  std::vector<int> device_ids;
  /// XLA options for this program only, named as in XLA_FLAGS but without dashes, such as
  /// {"xla_cpu_enable_fast_math", true}. A name that the plugin does not know is an error.
  std::map<std::string, DebugValue> debug_options;

  int num_devices() const { return num_replicas * num_partitions; }
  /// Returns device_ids or its default.
  std::vector<int> device_assignment() const;
};

/// Returns XLA's serialized CompileOptionsProto, with Shardy as the partitioner. Throws
/// invalid_argument if the numbers of devices are inconsistent.
std::string serialize(const CompileOptions& options);

}  // namespace meshwright::pjrt
