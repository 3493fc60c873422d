// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// XLA's name of pinned memory of the host.
inline constexpr std::string_view kPinnedHost = "pinned_host";

/// The compute capability of the Hopper generation of GPUs, times 10.
inline constexpr int kHopper = 90;

struct ArgumentInfo {
  std::string name;                        // for messages
  std::optional<mesh::Sharding> sharding;  // if absent, the partitioner chooses
  std::optional<int> donated_to;           // the result that may reuse its memory
  bool is_on_host = false;                 // in pinned memory of the host
};

struct ResultInfo {
  std::string name;
  std::optional<mesh::Sharding> sharding;
  bool is_on_host = false;  // as for arguments
};

/// Processor features that decide whether a kernel is faster than its formula.
struct CpuFeatures {
  bool has_float_tiles = false;  // AVX-512: enough registers for a block of f32 sums
  bool has_bf16_pairs = false;   // multiplies pairs of bf16 (AVX512_BF16)
  bool has_bf16_tiles = false;   // multiplies tiles of bf16 (AMX)
};

/// The machine for which a program is traced. The text of a program depends on it, and not on the
/// machine that traces.
struct ProgramTarget {
  /// PJRT's name of the platform, such as "cpu", "cuda" or "tpu".
  std::string platform = "cpu";
  /// False if the user asked for plain XLA (`kernels = "xla"`).
  bool wants_kernels = true;
  /// Features of the processor that runs the kernels. Defaults to those of this host's processor.
  std::optional<CpuFeatures> cpu = {};
  /// The compute capability of CUDA devices times 10, such as 90 for Hopper; 0 if unknown.
  int compute_capability = 0;
};

/// The calls of one op that became kernels (or formulas) for the same reason.
struct KernelChoice {
  std::string_view op;  // OpDef::name
  bool is_kernel = false;
  std::string reason;
  int count = 0;
};
/// Counts one more call of `op`.
void add_choice(std::vector<KernelChoice>& choices,
                std::string_view op,
                bool is_kernel,
                const std::string& reason);
/// Returns one line per choice, such as "attention: kernel, 12 calls: one device", sorted by op.
std::vector<std::string> describe(const std::vector<KernelChoice>& choices);

/// A finished trace: the main region, its mesh, and its arguments and results.
struct Program {
  std::shared_ptr<Graph> graph;
  Region* main = nullptr;
  mesh::Mesh mesh;
  std::vector<ArgumentInfo> arguments;
  std::vector<ResultInfo> results;
  mesh::AxisRules activations;        // also decide how kernels are split
  int compute_capability = 0;         // of the target that the program was traced for
  std::vector<std::string> warnings;  // one line each
  /// After tracing: the calls that were traced as formulas. After place_kernels: all calls.
  std::vector<KernelChoice> kernel_choices;
};

}  // namespace meshwright::graph
