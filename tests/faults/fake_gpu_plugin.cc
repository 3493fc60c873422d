// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin for GPUs that finds none but describes a topology of two. Like XLA, it ends the
// process on an unknown flag when a client is created or a program compiled.
#include <array>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "meshwright/pjrt/c/api.h"

namespace c = meshwright::pjrt::c;

namespace {

constexpr std::string_view kMessage = "no GPU was found";
constexpr std::string_view kComplaint = "F0000 x.cc:1] Unknown flag in XLA_FLAGS: --xla_gpu_foo\n";

c::Error* the_error() {
  static int error = 0;
  return reinterpret_cast<c::Error*>(&error);
}

void read_flags() {
  const char* flags = std::getenv("XLA_FLAGS");
  if (flags != nullptr && std::string_view(flags).find("--xla_gpu_foo") != std::string_view::npos) {
    static_cast<void>(!write(STDERR_FILENO, kComplaint.data(), kComplaint.size()));
    _exit(1);
  }
}

c::Error* create_topology(c::TopologyDescriptionCreateArgs* args) {
  static int topology = 0;
  args->topology = reinterpret_cast<c::TopologyDescription*>(&topology);
  return nullptr;
}

c::Error* describe_devices(c::TopologyDescriptionGetDeviceDescriptionsArgs* args) {
  static const std::array<c::DeviceDescription*, 2> descriptions{};
  args->descriptions = descriptions.data();
  args->num_descriptions = descriptions.size();
  return nullptr;
}

c::Api make_api() {
  c::Api api{.header = {sizeof(c::Api)}, .version = {.major_version = 0, .minor_version = 115}};
  api.error_destroy = [](c::ErrorDestroyArgs*) {};
  api.error_message = [](c::ErrorMessageArgs* args) {
    args->message = kMessage.data();
    args->message_size = kMessage.size();
  };
  api.error_get_code = [](c::ErrorGetCodeArgs* args) -> c::Error* {
    args->code = c::ErrorCode::internal;
    return nullptr;
  };
  api.plugin_initialize = [](c::PluginInitializeArgs*) -> c::Error* { return nullptr; };
  api.plugin_attributes = [](c::PluginAttributesArgs* args) -> c::Error* {
    args->num_attributes = 0;
    return nullptr;
  };
  api.client_create = [](c::ClientCreateArgs*) {
    read_flags();
    return the_error();
  };
  api.topology_description_create = create_topology;
  api.topology_description_destroy = [](c::TopologyDescriptionDestroyArgs*) -> c::Error* {
    return nullptr;
  };
  api.topology_description_get_device_descriptions = describe_devices;
  api.compile = [](c::CompileArgs*) {
    read_flags();
    return the_error();
  };
  return api;
}

}  // namespace

extern "C" const c::Api*
GetPjrtApi() {  // NOLINT(readability-identifier-naming): the plugin interface's name
  static const c::Api api = make_api();
  return &api;
}
