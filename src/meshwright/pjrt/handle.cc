// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/handle.h"

#include "meshwright/pjrt/call.h"

namespace meshwright::pjrt {
namespace {

// Discards errors, since a destructor cannot report them.
template <typename Args>
void destroy_by(const Plugin& plugin, c::Function<Args> entry, Args args) noexcept {
  discard(plugin, entry(&args));
}

}  // namespace

void destroy(const Plugin& plugin, c::Event* event) noexcept {
  destroy_by(plugin, plugin.api().event_destroy, c::EventDestroyArgs{.event = event});
}

void destroy(const Plugin& plugin, c::Client* client) noexcept {
  destroy_by(plugin, plugin.api().client_destroy, c::ClientDestroyArgs{.client = client});
}

void destroy(const Plugin& plugin, c::Executable* executable) noexcept {
  destroy_by(plugin, plugin.api().executable_destroy,
             c::ExecutableDestroyArgs{.executable = executable});
}

void destroy(const Plugin& plugin, c::LoadedExecutable* executable) noexcept {
  destroy_by(plugin, plugin.api().loaded_executable_destroy,
             c::LoadedExecutableDestroyArgs{.executable = executable});
}

void destroy(const Plugin& plugin, c::Buffer* buffer) noexcept {
  destroy_by(plugin, plugin.api().buffer_destroy, c::BufferDestroyArgs{.buffer = buffer});
}

void destroy(const Plugin& plugin, c::TopologyDescription* topology) noexcept {
  destroy_by(plugin, plugin.api().topology_description_destroy,
             c::TopologyDescriptionDestroyArgs{.topology = topology});
}

}  // namespace meshwright::pjrt
