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

/// "0.81".
std::string to_string(const ApiVersion& version);

/// The oldest interface that has all that we cannot do without.
inline constexpr ApiVersion kOldestApiVersion{0, 54};

/// A PJRT plugin in this process. Plugins are never unloaded: XLA leaves threads behind.
class Plugin {
 public:
  /// Loads the shared library at `path`, once per process; a second call returns the same object.
  /// Throws device, with a remedy, if the file is missing, is no plugin for this machine, or is
  /// too old.
  static const Plugin& load(const std::string& path);

  const std::string& path() const { return path_; }
  ApiVersion api_version() const { return version_; }
  /// What the plugin tells about itself: xla_version, stablehlo_current_version, ...
  std::vector<NamedValue> attributes() const;
  /// Its extensions in its order: the name of those of API 0.81, "extension 24" of newer ones.
  std::vector<std::string> extensions() const;

  /// The extension of this type number, or nullptr.
  const c::ExtensionBase* find_extension(int type) const;
  const c::Api& api() const { return *api_; }
  /// Whether the plugin's table reaches this far.
  bool offers(std::size_t entry_end) const;

 private:
  Plugin(std::string path, const c::Api* api);

  std::string path_;
  const c::Api* api_;
  ApiVersion version_;
};

}  // namespace meshwright::pjrt
