// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "meshwright/base/str.h"
#include "programs.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

const std::string kFour = "mesh.num_devices=4";
const std::string kAxes = "mesh.axes={ data = 2, model = 2 }";

// Returns a strategy that splits parameters of any size.
std::string fsdp(const char* axis) {
  return str("fsdp(axis='", axis, "', min_size_to_shard_mb=0)");
}

SectionCases mesh() {
  const std::vector<std::string> four = {kFour, kAxes};
  return {
      "mesh",
      kLm,
      {},
      step_program,
      {// On TPUs layers are a loop.
       {"platform", "tpu"},
       {"num_devices", "2", {}, devices},
       observed_by("memory_fraction", "ClientArgs.TakeTheMemoryOfGpusFromTheConfig"),
       observed_by("preallocate", "ClientArgs.TakeTheMemoryOfGpusFromTheConfig"),
       {"axes", "{ data = 4, model = 1 }", four},
       {"outer", "{ data = 2 }", four, placement},
       {"process_axes", "['host']", {kFour, "mesh.axes={ host = 1, data = 4 }"}},
       {"rules",
        "[{ selector = 'small', axes = { data = 4, model = 1 } }]",
        {kFour, kAxes, "mesh.selector=small"}},
       {"selector",
        "small",
        {kFour, kAxes, "mesh.rules=[{ selector = \"small\", axes = { data = 4, model = 1 } }]"}},
       {"xla_flags", "['--xla_cpu_enable_fast_math=false']", {}, devices},
       {"variables", "{ LIBTPU_INIT_ARGS = '--any' }", {}, devices}}};
}

SectionCases rule() {
  return {"mesh.rules.0",
          kLm,
          {kFour, kAxes, "mesh.selector=small",
           "mesh.rules=[{ selector = \"small\", axes = { data = 4 } }]"},
          placement,
          {{"selector", "large"},
           {"axes", "{ data = 2, model = 2 }"},
           {"outer", "{ data = 2 }"},
           {"set", "['num_microbatches=2']", {}, step_program}}};
}

SectionCases sharding() {
  return {"sharding",
          kLm,
          {kFour, kAxes},
          step_program,
          {{"params", "{ embed = 'model' }"},
           {"activations", "{ batch = 'data' }"},
           {"strategies", str("[{ pattern = '.*', strategy = \"", fsdp("data"), "\" }]")},
           {"outputs", "[{ pattern = '.*', mesh_axes = \"('data', None)\" }]"},
           {"offload", "'.*'", {"optimizer={ type = 'adamw', learning_rate = 0.001 }"}}}};
}

}  // namespace

Cases mesh_cases() {
  return {mesh(),
          rule(),
          sharding(),
          {"sharding.strategies.0",
           kLm,
           {kFour, kAxes,
            str("sharding.strategies=[{ pattern = '.*embed.*', strategy = \"", fsdp("data"),
                "\" }, { pattern = '.*', strategy = \"replicate\" }]")},
           step_program,
           {{"pattern", ".*mlp.*"}, {"strategy", fsdp("model")}}},
          {"sharding.outputs.0",
           kLm,
           {kFour, kAxes, "sharding.outputs=[{ pattern = '.*', mesh_axes = \"('data', None)\" }]"},
           step_program,
           {{"pattern", ".*mlp.*"}, {"mesh_axes", "('model', None)"}}}};
}

}  // namespace meshwright::config_keys
