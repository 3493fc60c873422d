// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/executable.h"

#include "meshwright/base/error.h"
#include "meshwright/pjrt/buffer_type.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/handover.h"

namespace meshwright::pjrt {
namespace {

constexpr std::string_view kAskingExecutable = "querying a compiled program";

/// Returns the result of `ask`; nullopt if the plugin does not implement it.
template <typename Ask>
auto if_implemented(Ask ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unimplemented) return std::nullopt;
    throw;
  }
}

}  // namespace

std::string Executable::name() const {
  auto args = call(handle_.plugin(), &c::Api::executable_name, {.executable = handle_.get()},
                   kAskingExecutable);
  return {args.executable_name, args.executable_name_size};
}

int Executable::num_replicas() const {
  auto args = call(handle_.plugin(), &c::Api::executable_num_replicas,
                   {.executable = handle_.get()}, kAskingExecutable);
  return static_cast<int>(args.num_replicas);
}

int Executable::num_partitions() const {
  auto args = call(handle_.plugin(), &c::Api::executable_num_partitions,
                   {.executable = handle_.get()}, kAskingExecutable);
  return static_cast<int>(args.num_partitions);
}

int Executable::num_outputs() const {
  auto args = call(handle_.plugin(), &c::Api::executable_num_outputs, {.executable = handle_.get()},
                   kAskingExecutable);
  return static_cast<int>(args.num_outputs);
}

std::vector<ArrayType> Executable::output_types() const {
  auto elements = call(handle_.plugin(), &c::Api::executable_output_element_types,
                       {.executable = handle_.get()}, kAskingExecutable);
  auto shapes = call(handle_.plugin(), &c::Api::executable_output_dimensions,
                     {.executable = handle_.get()}, kAskingExecutable);
  std::vector<ArrayType> types;
  const std::int64_t* dims = shapes.dims;
  for (std::size_t i = 0; i < elements.num_output_types; ++i) {
    types.push_back({from_c(elements.output_types[i]), Dims(dims, dims + shapes.dim_sizes[i])});
    dims += shapes.dim_sizes[i];
  }
  return types;
}

Executable::Program Executable::optimized_program() const {
  c::Program program;
  c::ExecutableOptimizedProgramArgs args{.executable = handle_.get(), .program = &program};
  call(handle_.plugin(), &c::Api::executable_optimized_program, args, kAskingExecutable);
  Program out{std::string(program.code_size, '\0'), {}};
  program.code = out.code.data();
  call(handle_.plugin(), &c::Api::executable_optimized_program, args, kAskingExecutable);
  out.format.assign(program.format, program.format_size);
  return out;
}

std::string Executable::serialize() const {
  auto args = call(handle_.plugin(), &c::Api::executable_serialize, {.executable = handle_.get()},
                   "serializing a compiled program");
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

std::optional<CompiledMemoryStats> Executable::memory_stats() const {
  return if_implemented([&] {
    auto args = call(handle_.plugin(), &c::Api::executable_get_compiled_memory_stats,
                     {.executable = handle_.get()}, kAskingExecutable);
    return CompiledMemoryStats{
        .code_bytes = args.generated_code_size_in_bytes,
        .argument_bytes = args.argument_size_in_bytes,
        .output_bytes = args.output_size_in_bytes,
        .alias_bytes = args.alias_size_in_bytes,
        .temp_bytes = args.temp_size_in_bytes,
        .peak_bytes = args.peak_memory_in_bytes,
    };
  });
}

std::map<std::string, double> Executable::costs() const {
  auto args = if_implemented([&] {
    return call(handle_.plugin(), &c::Api::executable_get_cost_analysis,
                {.executable = handle_.get()}, kAskingExecutable);
  });
  std::map<std::string, double> costs;
  if (!args) return costs;
  for (const NamedValue& property : from_c(args->properties, args->num_properties))
    if (const auto* value = std::get_if<float>(&property.value)) costs[property.name] = *value;
  return costs;
}

ExecuteLists::ExecuteLists(std::size_t num_devices, std::size_t num_args, std::size_t num_outputs)
    : num_args_(num_args),
      num_outputs_(num_outputs),
      arg_storage_(num_devices * num_args),
      output_storage_(num_devices * num_outputs),
      args_(num_devices),
      outputs_(num_devices),
      events_(num_devices) {
  for (std::size_t device = 0; device < num_devices; ++device) {
    args_[device] = arg_storage_.data() + device * num_args;
    outputs_[device] = output_storage_.data() + device * num_outputs;
  }
}

Executable LoadedExecutable::executable() const {
  auto args = call(handle_.plugin(), &c::Api::loaded_executable_get_executable,
                   {.loaded_executable = handle_.get()}, kAskingExecutable);
  return Executable(Handle(handle_.plugin(), args.executable));
}

std::vector<Device> LoadedExecutable::devices() const {
  auto args = call(handle_.plugin(), &c::Api::loaded_executable_addressable_devices,
                   {.executable = handle_.get()}, kAskingExecutable);
  std::vector<Device> out;
  for (std::size_t i = 0; i < args.num_addressable_devices; ++i)
    out.emplace_back(handle_.plugin(), args.addressable_devices[i]);
  return out;
}

void LoadedExecutable::execute(ExecuteLists& lists, std::span<Event> events, int run) const {
  const Plugin& plugin = handle_.plugin();
  c::ExecuteOptions options;
  options.launch_id = run;
  options.non_donatable_input_indices = lists.kept_.data();
  options.num_non_donatable_input_indices = lists.kept_.size();
  c::LoadedExecutableExecuteArgs args{
      .executable = handle_.get(),
      .options = &options,
      .argument_lists = lists.args_.data(),
      .num_devices = lists.num_devices(),
      .num_args = lists.num_args_,
      .output_lists = lists.outputs_.data(),
      .device_complete_events = events.empty() ? nullptr : lists.events_.data(),
  };
  hand_over(&kArrayElements);
  check(plugin, plugin.api().loaded_executable_execute(&args), "starting an execution");
  for (std::size_t i = 0; i < events.size(); ++i)
    events[i] = Event(Handle(plugin, lists.events_[i]));
}

Buffer LoadedExecutable::take_output(ExecuteLists& lists,
                                     std::size_t device,
                                     std::size_t index) const {
  auto& place = lists.output_storage_[device * lists.num_outputs_ + index];
  return Buffer(Handle(handle_.plugin(), std::exchange(place, nullptr)));
}

}  // namespace meshwright::pjrt
