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

/// Devices to compile for ahead of time. They need not exist.
class Topology {
 public:
  /// `name` is defined by the plugin, as "v5p:4x4x4" for TPUs. Throws device if the plugin does not
  /// know it.
  Topology(const Plugin& plugin, const std::string& name, const std::vector<NamedValue>& options);

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
