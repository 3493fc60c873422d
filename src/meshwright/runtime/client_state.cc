// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/client_state.h"

namespace meshwright::runtime {
namespace {

std::string kind_of_devices(const pjrt::Client& client) {
  if (client.devices().empty())
    fail(ErrorCode::device, "opening the devices: the plugin ", client.plugin().path(),
         " finds no devices");
  return client.devices()[0].description().kind();
}

}  // namespace

ClientState::ClientState(const pjrt::Plugin& plugin,
                         const std::vector<pjrt::NamedValue>& options,
                         CompileCache programs)
    : pjrt(plugin, options),
      is_cpu(pjrt.platform_name() == "cpu"),
      cache(std::move(programs)),
      device_kind(kind_of_devices(pjrt)) {}

void ClientState::add_kernel(const pjrt::Kernel& kernel) {
  if (!is_cpu)
    fail(ErrorCode::unimplemented, "kernel ", kernel.name, ": kernels run on the CPU only, not on ",
         pjrt.platform_name(), "\nuse plain ops, or an op that has a reference");
  pjrt::register_kernel(pjrt.plugin(), kernel);
  std::lock_guard lock(mutex_);
  kernels_.emplace(kernel.name, kernel.abi_version);
}

std::map<std::string, int> ClientState::kernels() {
  std::lock_guard lock(mutex_);
  return kernels_;
}

BuildTarget ClientState::target() {
  std::lock_guard lock(mutex_);
  if (plugin_digest_.empty()) plugin_digest_ = cache.file_digest(pjrt.plugin().path());
  return build_target({.platform = pjrt.platform_name(),
                       .device_kind = device_kind,
                       .num_devices = static_cast<std::int64_t>(pjrt.devices().size()),
                       .plugin_version = pjrt.platform_version(),
                       .plugin_digest = plugin_digest_});
}

void ClientState::throw_kernel_error() {
  if (std::optional<Error> error = kernel_errors.take()) throw Error(*error);
}

}  // namespace meshwright::runtime
