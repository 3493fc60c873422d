// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/pjrt/compile_options.h"
#include "meshwright/pjrt/device.h"
#include "meshwright/pjrt/executable.h"
#include "meshwright/pjrt/handle.h"
#include "meshwright/pjrt/named_value.h"

namespace meshwright::pjrt {

/// Devices for ahead-of-time compilation. They need not exist.
class Topology {
 public:
  /// The plugin defines the possible values of `name`, such as "v5p:4x4x4" for TPUs. Throws device
  /// if the plugin does not know the name.
  Topology(const Plugin& plugin, const std::string& name, const std::vector<NamedValue>& options);

  const Plugin& plugin() const { return handle_.plugin(); }
  std::string platform_name() const;
  std::string platform_version() const;
  std::vector<DeviceDescription> devices() const;
  /// Compiles a StableHLO module for these devices. The result can be serialized and has cost
  /// estimates.
  Executable compile(std::string_view program, const CompileOptions& options) const;

 private:
  Handle<c::TopologyDescription> handle_;
};

}  // namespace meshwright::pjrt
