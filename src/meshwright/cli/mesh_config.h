// SPDX-License-Identifier: Apache-2.0
// The tables [mesh] and [sharding] of a config.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/config/pattern.h"
#include "meshwright/config/type_of.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/step/state.h"

namespace meshwright::cli {

/// Returns the platforms that a config may name.
std::vector<std::string> platforms();

using MeshAxes = config::InOrder<config::OrAuto<std::int64_t>>;

struct MeshRuleConfig {
  std::string selector;
  std::optional<MeshAxes> axes;
  std::optional<MeshAxes> outer = {};
  std::vector<std::string> set = {};  // applied by load_config_tree (config_args.h)

  void fields(auto& f) {
    f.required("selector", selector, config::kPattern,
               "Pattern that must match the whole selector.");
    f.required("axes", axes, "Mesh axes for this selector. `none`: one device.");
    f.optional("outer", outer, "Like `mesh.outer`.");
    f.optional("set", set,
               "Other keys to set for this selector, written as overrides: \"num_microbatches=4\". "
               "The command line wins.");
  }
};

struct MeshConfig {
  std::string platform = "cpu";
  std::int64_t num_devices = 1;
  double memory_fraction = runtime::kDefaultMemoryFraction;
  bool preallocate = true;
  std::optional<MeshAxes> axes, outer;
  std::vector<std::string> process_axes;
  std::vector<MeshRuleConfig> rules;
  std::optional<std::string> selector;
  std::vector<std::string> xla_flags;
  std::map<std::string, std::string> variables;

  void fields(auto& f) {
    f.optional("platform", platform, config::one_of(platforms()), "Platform to compute on.");
    f.optional("num_devices", num_devices, config::between(1, 1024),
               "Number of virtual devices on a CPU.");
    f.optional("memory_fraction", memory_fraction, config::between(0.01, 1),
               "Part of each GPU's memory that arrays and programs may take. The context, the "
               "workspaces of libraries and NCCL's buffers need the rest.");
    f.optional("preallocate", preallocate,
               "Take that part of each GPU's memory at the start, which prevents fragmentation. "
               "`false` lets processes share a GPU.");
    f.optional("axes", axes, "Sizes by axis name, major to minor. One may be `auto`.");
    f.optional(
        "outer", outer,
        "Sizes across groups of devices with slower connections between them, that is, across "
        "processes. "
        "`axes` then holds the sizes within a group, and axes not named here stay within it.");
    f.optional(
        "process_axes", process_axes,
        "Axes that span processes instead of the devices of one. Only size 1 is supported so far.");
    f.optional("rules", rules,
               "Meshes by selector. The first match replaces `axes` and sets other keys.");
    f.optional("selector", selector, "Name of this kind of machine, matched by `rules`.");
    f.optional("xla_flags", xla_flags,
               "XLA flags, \"--xla_...=...\". Those in the environment variable XLA_FLAGS win. "
               "`config explain mesh.xla_flags` lists the flags that are set without this.");
    f.optional("variables", variables,
               "Environment variables for plugins, such as LIBTPU_INIT_ARGS and those of NCCL. "
               "Variables that are already set win.");
  }
};

struct StrategyConfig {
  std::string pattern, strategy;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a parameter.");
    f.required("strategy", strategy, config::kNonEmpty,
               "One of replicate, fully_sharded, fsdp(axis='fsdp'), shard_dim('tensor', 0), "
               "partition_spec('data', None) and logical_partitioning, which follows `params`.");
  }
};

struct OutputConfig {
  std::string pattern, mesh_axes;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern,
               "Pattern that must match the whole path of a module.");
    f.required("mesh_axes", mesh_axes, config::kNonEmpty,
               "Mesh axes that split each dimension of the module's output: ('data', None, "
               "('fsdp', 'tensor')).");
  }
};

struct ShardingConfig {
  std::map<std::string, config::OneOrMore<std::string>> params, activations;
  std::vector<StrategyConfig> strategies;
  std::vector<OutputConfig> outputs;
  std::optional<std::string> offload;

  void fields(auto& f) {
    f.optional("params", params, "Mesh axes that split each axis of a parameter.");
    f.optional("activations", activations, "Mesh axes that split each axis of an activation.");
    f.optional("strategies", strategies,
               "Sharding by parameter path; overrides `params`. The first match applies, "
               "and every parameter needs one.");
    f.optional("outputs", outputs,
               "Sharding of module outputs in training, instead of `activations`. The first match "
               "decides.");
    f.optional("offload", offload, config::kPattern,
               "Pattern of the paths of optimizer slots that lie in pinned memory of the host "
               "between steps, such as \".*\". Each step copies them to the device and back. "
               "Moving averages of parameters stay on the device. `none`: none do.");
  }
};

/// Throws invalid_argument, naming the config's key, if a device has no pinned memory of the host.
/// Devices of topologies do not say which memories they have, and pass.
void check_pinned_memory(std::string_view key, std::span<const runtime::DeviceInfo> devices);

/// Returns the placement. Throws invalid_argument if the mesh, the rules and the devices are
/// incompatible.
train::Placement make_placement(const MeshConfig& mesh,
                                const ShardingConfig& sharding,
                                std::span<const runtime::DeviceInfo> devices);

}  // namespace meshwright::cli

namespace meshwright::config {
extern template const Type& type_of<cli::MeshConfig>();
extern template const Type& type_of<cli::ShardingConfig>();
}  // namespace meshwright::config
