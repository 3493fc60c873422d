// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/dry_run.h"

#include <cstdio>
#include <iostream>

#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/cli/human_bytes.h"

namespace meshwright::cli {
namespace {

using train::DryRun;

void print_fact(std::string_view name, const std::string& value) {
  std::cout << name << std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') << value << "\n";
}

std::string decimal(double number, const char* format) {
  char text[64];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

void print_memory(const DryRun& found) {
  if (!found.memory) return print_fact("memory", "not reported by the plugin");
  const pjrt::CompiledMemoryStats& memory = *found.memory;
  print_fact("memory", str(human_bytes(memory.total_bytes()), " on each device during a step: ",
                           human_bytes(memory.argument_bytes), " state and batch, ",
                           human_bytes(memory.temp_bytes), " intermediate values, ",
                           human_bytes(memory.output_bytes - memory.alias_bytes), " results, ",
                           human_bytes(memory.code_bytes), " program"));
}

void print_text(const train::Job& job, const DryRun& found) {
  std::cout << found.params << "\n";
  print_fact("model", str(with_separators(found.num_params), " parameters"));
  print_fact("mesh", str(job.placement.mesh));
  print_fact("state", str(human_bytes(found.state_bytes), ", ",
                          human_bytes(found.state_bytes_per_device), " on each device"));
  for_each(job.source->spec(), [](const std::string& path, const data::ArraySpec& spec) {
    print_fact("batch", str(path, " ", spec.type, " (", join(spec.axes, " "), ")"));
  });
  for (const auto& [name, config] : job.config.evaluators)
    print_fact("evaluator", str(name, ": ", config.method));
  print_fact("starts", found.restored_step
                           ? str("from the checkpoint of step ", *found.restored_step)
                       : job.init_state ? "from " + job.init_state->name
                                        : "from initial values");
  print_fact("step", str(decimal(found.flops_per_step / 1e9, "%.3g"), " GFLOP of matrix products; ",
                         found.is_from_cache ? "compiled before, loaded in " : "compiled in ",
                         decimal(found.compile_seconds, "%.1f"), " s"));
  print_memory(found);
}

void print_json(const train::Job& job, const DryRun& found) {
  JsonWriter json;
  json.begin_object().field("dir", job.config.dir).field("parameters", found.num_params);
  json.field("devices", found.num_devices).field("state_bytes", found.state_bytes);
  json.field("state_bytes_per_device", found.state_bytes_per_device);
  json.field("batch_bytes", found.batch_bytes).field("flops_per_step", found.flops_per_step);
  json.key("restored_step");
  found.restored_step ? json.value(*found.restored_step) : json.null();
  json.field("compile_seconds", found.compile_seconds).field("from_cache", found.is_from_cache);
  json.key("batch").begin_object();
  for_each(job.source->spec(), [&](const std::string& path, const data::ArraySpec& spec) {
    json.field(path, str(spec.type));
  });
  json.end_object().key("memory_per_device");
  if (found.memory) {
    json.begin_object().field("argument_bytes", found.memory->argument_bytes);
    json.field("output_bytes", found.memory->output_bytes);
    json.field("alias_bytes", found.memory->alias_bytes);
    json.field("temp_bytes", found.memory->temp_bytes);
    json.field("code_bytes", found.memory->code_bytes).end_object();
  } else {
    json.null();
  }
  json.end_object();
  std::cout << json.str() << "\n";
}

}  // namespace

void print_dry_run(const train::Job& job, const DryRun& found, bool as_json) {
  as_json ? print_json(job, found) : print_text(job, found);
}

}  // namespace meshwright::cli
