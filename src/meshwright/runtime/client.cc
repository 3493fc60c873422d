// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/client.h"

#include "meshwright/base/check.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/runtime/client_state.h"
#include "meshwright/runtime/compile.h"
#include "meshwright/runtime/device_description.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/prepared_program.h"
#include "meshwright/runtime/program_bundle.h"
#include "meshwright/runtime/transfer.h"
#include "meshwright/runtime/xla_flags.h"

namespace meshwright::runtime {
namespace {

std::string_view remedy_without_devices(std::string_view platform) {
  if (platform == "cuda")
    return "check that nvidia-smi lists a GPU with free memory; take less of it "
           "(mesh.memory_fraction), or use the CPU: mesh.platform = \"cpu\" in a config";
  if (platform == "tpu")
    return "check that this machine has a TPU that no other process uses, or use the CPU: "
           "mesh.platform = \"cpu\" in a config";
  return "request fewer devices, or fetch the pinned plugin: tools/fetch_xla";
}

std::vector<pjrt::NamedValue> create_options(const ClientOptions& options) {
  if (options.platform == "cpu") return {{"cpu_device_count", std::int64_t{options.num_devices}}};
  if (options.platform == "cuda")
    return {{"memory_fraction", static_cast<float>(options.memory_fraction)},
            {"preallocate", options.preallocate}};
  return {};
}

/// Adds a remedy to the plugin's error about devices that it cannot open. A plugin that knows none
/// of the options may be for another platform, which is checked later.
std::shared_ptr<ClientState> make_state(const ClientOptions& options, const pjrt::Plugin& plugin) {
  const auto make = [&](const std::vector<pjrt::NamedValue>& values) {
    return std::make_shared<ClientState>(
        plugin, values, CompileCache(options.cache_folder, options.cache_max_bytes));
  };
  try {
    return make(create_options(options));
  } catch (const Error& error) {
    if (error.message().find("Unexpected option name") != std::string::npos) return make({});
    if (error.code() != ErrorCode::device) throw;
    fail(error.code(), error.message(), "\n", remedy_without_devices(options.platform));
  }
}

/// Throws device, with every reason, if the bundle is for other machines or another compiler.
ProgramBundle bundle_for(const BuildTarget& target, const std::string& path) {
  ProgramBundle out = read_bundle(path);
  const std::vector<std::string> reasons = differences(out.target, target);
  if (!reasons.empty())
    fail(ErrorCode::device, path, ": its programs were compiled for other machines\n  ",
         join(reasons, "\n  "), "\ncompile them for this machine");
  return out;
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
  if (!options.bundle.empty()) client->bundle = bundle_for(client->target(), options.bundle);
  return client;
}

/// Returns text such as "cpu has 2", followed by the remedy.
std::string but_there_are(const std::string& platform, int num_devices) {
  return str(platform, " has ", num_devices,
             platform == "cpu" ? "\nconfigure more: mesh.num_devices in a config, else "
                                 "ClientOptions::num_devices"
                               : "\nuse a smaller mesh, or a machine with more devices");
}

/// Throws device if the mesh has too many devices. Adds the program's kernels to the client.
PreparedProgram prepare(ClientState& client,
                        const graph::Program& program,
                        const CompileOptions& options) {
  const std::string platform = client.pjrt.platform_name();
  const int there_are = static_cast<int>(client.pjrt.addressable_devices().size());
  if (program.mesh.num_devices() > there_are)
    fail(ErrorCode::device, "the mesh ", program.mesh, " needs ", program.mesh.num_devices(),
         " devices, but ", but_there_are(platform, there_are));
  PreparedProgram out = prepare(program, platform, options);
  for (const pjrt::Kernel* kernel : graph::kernel_handlers(out.placed))
    client.add_kernel(*kernel);
  return out;
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
  const PreparedProgram ready = prepare(*state_, program, options);
  Signature signature = signature_of(ready.placed);
  return {state_,
          compile_or_load(
              *state_, ready.key_text(), [&] { return ready.full_text(); }, ready.options),
          std::move(signature)};
}

AheadOfTimeProgram Client::compile_ahead(const graph::Program& program,
                                         const CompileOptions& options) const {
  const PreparedProgram ready = prepare(*state_, program, options);
  pjrt::LoadedExecutable loaded;  // on CPUs, programs that are unloaded cannot be serialized
  AheadOfTimeProgram out = runtime::compile_ahead(
      {ready.key_text(), ready.full_text(), ready.options, state_->kernels()}, state_->target(),
      [&](const std::string& text, const pjrt::CompileOptions& flagged) {
        loaded = state_->pjrt.compile(text, flagged);
        return loaded.executable();
      });
  out.kernel_choices = ready.placed.kernel_choices;
  return out;
}

BuildTarget Client::target() const {
  return state_->target();
}

const ProgramBundle* Client::bundle() const {
  return state_->bundle ? &*state_->bundle : nullptr;
}

bool Client::is_bundled(const graph::Program& program, const CompileOptions& options) const {
  if (!state_->bundle) return false;
  const PreparedProgram ready = prepare(*state_, program, options);
  return state_->bundle->find(key_of(*state_, ready.key_text(), ready.options)) != nullptr;
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
