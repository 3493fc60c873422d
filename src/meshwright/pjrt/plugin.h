// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "meshwright/pjrt/named_value.h"

namespace meshwright::pjrt {

namespace c {
struct Api;
struct ExtensionBase;
}  // namespace c

struct ApiVersion {
  int major = 0;
  int minor = 0;
  bool operator==(const ApiVersion&) const = default;
};

/// Returns text such as "0.81".
std::string to_string(const ApiVersion& version);

/// The oldest supported version of the interface.
inline constexpr ApiVersion kOldestApiVersion{0, 54};

/// A PJRT plugin in this process. Plugins are never unloaded, since XLA leaves threads behind.
class Plugin {
 public:
  /// Loads the shared library at `path` once per process; later calls return the same object.
  /// Throws device, with a remedy, if the file is missing or is not a plugin for this machine, or
  /// if the plugin is too old.
  static const Plugin& load(const std::string& path);

  const std::string& path() const { return path_; }
  ApiVersion api_version() const { return version_; }
  /// Returns the attributes of the plugin, such as xla_version and stablehlo_current_version.
  std::vector<NamedValue> attributes() const;
  /// Returns the names of its extensions, in the plugin's order. Extensions newer than API 0.81 get
  /// names such as "extension 24".
  std::vector<std::string> extensions() const;

  /// Returns the extension with this type number, or nullptr.
  const c::ExtensionBase* find_extension(int type) const;
  const c::Api& api() const { return *api_; }
  /// True if the plugin's table extends to this offset.
  bool offers(std::size_t entry_end) const;

 private:
  Plugin(std::string path, const c::Api* api);

  std::string path_;
  const c::Api* api_;
  ApiVersion version_;
};

}  // namespace meshwright::pjrt
