// SPDX-License-Identifier: Apache-2.0
// Devices in configs: [mesh] and [sharding].
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/config/pattern.h"
#include "meshwright/config/type_of.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/state.h"

namespace meshwright::cli {

using MeshAxes = config::InOrder<config::OrAuto<std::int64_t>>;

struct MeshRuleConfig {
  std::string selector;
  std::optional<MeshAxes> axes;
  std::optional<MeshAxes> outer = {};
  std::vector<std::string> set = {};  // applied by load_config_tree (config_words.h)

  void fields(auto& f) {
    f.required("selector", selector, config::kPattern, "a pattern of the whole selector");
    f.required("axes", axes, "the mesh there; none: one device");
    f.optional("outer", outer, "as mesh.outer");
    f.optional("set", set,
               "other keys there, as words of the command line, which still wins: "
               "\"num_microbatches=4\"");
  }
};

struct MeshConfig {
  std::string platform = "cpu";
  std::int64_t num_devices = 1;
  std::optional<MeshAxes> axes, outer;
  std::vector<std::string> process_axes;
  std::vector<MeshRuleConfig> rules;
  std::optional<std::string> selector;
  std::vector<std::string> xla_flags;
  std::map<std::string, std::string> variables;

  void fields(auto& f) {
    f.optional("platform", platform, config::one_of({"cpu", "cuda", "tpu"}), "what computes");
    f.optional("num_devices", num_devices, config::between(1, 1024), "virtual devices of a CPU");
    f.optional("axes", axes, "sizes by name, major to minor; one may be auto");
    f.optional("outer", outer,
               "sizes between groups of devices that are connected more slowly, the processes; "
               "`axes` then are the sizes within a group, and axes not named here stay in it");
    f.optional("process_axes", process_axes,
               "axes that run over processes instead of this one's devices; of size 1 so far");
    f.optional("rules", rules,
               "meshes by selector; the first that matches replaces `axes`, and sets other keys");
    f.optional("selector", selector, "which machine this is, for the rules");
    f.optional("xla_flags", xla_flags,
               "of XLA, \"--xla_...=...\"; those of the variable XLA_FLAGS win");
    f.optional("variables", variables,
               "of the environment, for plugins, such as LIBTPU_INIT_ARGS and those of NCCL; what "
               "is set already wins");
  }
};

struct StrategyConfig {
  std::string pattern, strategy;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern, "of the whole path of a parameter");
    f.required("strategy", strategy, config::kNonEmpty,
               "replicate, fully_sharded, fsdp(axis='fsdp'), shard_dim('tensor', 0), "
               "partition_spec('data', None) or logical_partitioning, which is by `params`");
  }
};

struct OutputConfig {
  std::string pattern, mesh_axes;

  void fields(auto& f) {
    f.required("pattern", pattern, config::kPattern, "of the whole path of a module");
    f.required("mesh_axes", mesh_axes, config::kNonEmpty,
               "that split the dimensions of what it gives: ('data', None, ('fsdp', 'tensor'))");
  }
};

struct ShardingConfig {
  std::map<std::string, config::OneOrMore<std::string>> params, activations;
  std::vector<StrategyConfig> strategies;
  std::vector<OutputConfig> outputs;

  void fields(auto& f) {
    f.optional("params", params, "mesh axes by the axis of a parameter that they split");
    f.optional("activations", activations, "mesh axes by the axis of an activation");
    f.optional("strategies", strategies,
               "for parameters by path, instead of `params` alone; the first that matches decides, "
               "and one must");
    f.optional(
        "outputs", outputs,
        "for results of modules in training, instead of `activations`; the first that matches "
        "decides");
  }
};

/// Throws invalid_argument where mesh, rules and devices do not fit each other.
train::Placement make_placement(const MeshConfig& mesh,
                                const ShardingConfig& sharding,
                                std::span<const runtime::DeviceInfo> devices);

}  // namespace meshwright::cli

namespace meshwright::config {
extern template const Type& type_of<cli::MeshConfig>();
extern template const Type& type_of<cli::ShardingConfig>();
}  // namespace meshwright::config
