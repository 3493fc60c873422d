// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/client.h"

#include "meshwright/base/check.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/runtime/client_state.h"
#include "meshwright/runtime/compile.h"
#include "meshwright/runtime/device_description.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/transfer.h"
#include "meshwright/runtime/xla_flags.h"

namespace meshwright::runtime {
namespace {

std::string_view remedy_without_devices(std::string_view platform) {
  if (platform == "cuda")
    return "check that nvidia-smi lists a GPU with free memory, or use the CPU: "
           "mesh.platform = \"cpu\" in a config";
  if (platform == "tpu")
    return "check that this machine has a TPU that no other process uses, or use the CPU: "
           "mesh.platform = \"cpu\" in a config";
  return "request fewer devices, or fetch the pinned plugin: tools/fetch_xla";
}

/// Adds a remedy to the plugin's error about devices that it cannot open.
std::shared_ptr<ClientState> make_state(const ClientOptions& options, const pjrt::Plugin& plugin) {
  std::vector<pjrt::NamedValue> create_options;
  if (options.platform == "cpu")
    create_options.push_back({"cpu_device_count", std::int64_t{options.num_devices}});
  try {
    return std::make_shared<ClientState>(
        plugin, create_options, CompileCache(options.cache_folder, options.cache_max_bytes));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::device) throw;
    fail(error.code(), error.message(), "\n", remedy_without_devices(options.platform));
  }
}

std::shared_ptr<ClientState> open_client(const ClientOptions& options) {
  MW_CHECK(options.num_devices >= 1, "opening the devices: num_devices is ", options.num_devices,
           ", expected at least 1");
  std::string path = plugin_path(options.platform, options.plugin_path);
  prepare_plugin_environment(options.platform);
  if (options.platform == "cpu") tune_malloc();
  const auto& plugin = pjrt::Plugin::load(path);
  if (!xla_flags_of_user().empty()) check_xla_flags(plugin, options.platform);
  std::shared_ptr<ClientState> client = make_state(options, plugin);
  if (std::string found = client->pjrt.platform_name(); found != options.platform)
    fail_with_remedy(
        ErrorCode::device,
        {RemedyKind::choose_plugin, "select the right plugin", "ClientOptions::plugin_path"},
        "the plugin ", plugin.path(), " is for ", found, ", not for ", options.platform);
  return client;
}

/// Returns text such as "cpu has 2", followed by the remedy.
std::string but_there_are(const std::string& platform, int num_devices) {
  return str(platform, " has ", num_devices,
             platform == "cpu" ? "\nconfigure more: mesh.num_devices in a config, else "
                                 "ClientOptions::num_devices"
                               : "\nuse a smaller mesh, or a machine with more devices");
}

DeviceInfo info_of(const pjrt::Device& device, std::string_view platform) {
  DeviceInfo info = describe_device(device.description(), platform);
  info.memory_kinds = device.memory_kinds();
  if (std::optional<pjrt::MemoryStats> stats = device.memory_stats()) {
    info.in_use_bytes = stats->in_use_bytes;
    info.peak_bytes = stats->peak_bytes;
    info.limit_bytes = stats->limit_bytes;
  }
  return info;
}

}  // namespace

Client::Client(const ClientOptions& options) : state_(open_client(options)) {}

int Client::num_devices() const {
  return static_cast<int>(state_->pjrt.addressable_devices().size());
}

std::string Client::platform() const {
  return state_->pjrt.platform_name();
}

std::string Client::platform_version() const {
  return state_->pjrt.platform_version();
}

std::vector<DeviceInfo> Client::devices() const {
  std::vector<DeviceInfo> out;
  for (const pjrt::Device& device : state_->pjrt.addressable_devices())
    out.push_back(info_of(device, platform()));
  return out;
}

std::vector<pjrt::Device> Client::first_devices(std::size_t num_wanted) const {
  const std::vector<pjrt::Device>& all = state_->pjrt.addressable_devices();
  if (num_wanted > all.size())
    fail(ErrorCode::device, "the array needs ", num_wanted, " devices, but ",
         but_there_are(platform(), num_devices()));
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(num_wanted)};
}

DeviceArray Client::put(const HostTensor& value,
                        const mesh::Mesh& mesh,
                        const mesh::Sharding& sharding,
                        HostMemoryUse use) const {
  auto layout = std::make_shared<const ArrayLayout>("put", value.type(), mesh, sharding);
  return runtime::put(state_, layout, first_devices(layout->num_devices()), value, use);
}

DeviceArray Client::put_shards(const SharedLayout& layout,
                               const std::function<HostTensor(std::size_t)>& part) const {
  return runtime::put_shards(state_, layout, first_devices(layout->num_devices()), part);
}

void Client::add_kernel(const pjrt::Kernel& kernel) const {
  state_->add_kernel(kernel);
}

Executable Client::compile(const graph::Program& program, const CompileOptions& options) const {
  const pjrt::CompileOptions compiling = pjrt_options(options, program.mesh.num_devices());
  if (compiling.num_partitions > num_devices())
    fail(ErrorCode::device, "the mesh ", program.mesh, " needs ", compiling.num_partitions,
         " devices, but ", but_there_are(platform(), num_devices()));
  graph::Program pinned = place_kernels(pin_layouts(program), platform(), options);
  for (const pjrt::Kernel* kernel : graph::kernel_handlers(pinned))
    add_kernel(*kernel);
  Signature signature = signature_of(pinned);
  const bool is_row_by_row = platform() == "cpu" && compiling.num_partitions == 1;
  graph::WriteOptions writing{.reshapes_are_free = is_row_by_row};
  const std::string key_text = graph::write_stablehlo(pinned, writing);
  writing.locations = true;
  return {
      state_,
      compile_or_load(
          *state_, key_text, [&] { return graph::write_stablehlo(pinned, writing); }, compiling),
      std::move(signature)};
}

Executable Client::compile_text(const std::string& stablehlo,
                                const pjrt::CompileOptions& options) const {
  if (options.num_devices() > num_devices())
    fail(ErrorCode::device, "the program needs ", options.num_devices(), " devices (",
         options.num_replicas, " replicas x ", options.num_partitions, " partitions), but ",
         but_there_are(platform(), num_devices()));
  return {state_,
          compile_or_load(
              *state_, stablehlo, [&] { return stablehlo; }, options),
          std::nullopt};
}

}  // namespace meshwright::runtime
