// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/build_target.h"

#include <cstdlib>

#include "meshwright/base/str.h"
#include "meshwright/runtime/compile_cache.h"
#include "meshwright/runtime/cpu_features.h"
#include "meshwright/runtime/platform_flags.h"

namespace meshwright::runtime {
namespace {

/// Returns the flags that XLA and libtpu read from the environment.
std::string compiler_flags() {
  std::string flags;
  for (const char* name : {"XLA_FLAGS", "LIBTPU_INIT_ARGS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) flags += str(name, "=", value, "\n");
  }
  return flags;
}

std::string or_none(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.empty() ? "none" : text;
}

}  // namespace

BuildTarget build_target(BuildTarget target) {
  target.compiler_flags = compiler_flags();
  if (target.platform == "cpu") target.cpu_features = cpu_features();
  return target;
}

std::string program_key(const BuildTarget& target,
                        std::string_view text,
                        const pjrt::CompileOptions& options,
                        const std::map<std::string, int>& kernels) {
  const std::string compile_options = pjrt::serialize(add_platform_flags(target.platform, options));
  CacheKeyParts parts{.program = text,
                      .compile_options = compile_options,
                      .xla_flags = target.compiler_flags,
                      .plugin_digest = target.plugin_digest,
                      .device_kind = target.device_kind,
                      .cpu_features = target.cpu_features};
  for (const auto& [name, version] : kernels)
    if (text.find(name) != std::string_view::npos) parts.kernels.emplace_back(name, version);
  return cache_key(parts);
}

std::vector<std::string> differences(const BuildTarget& theirs, const BuildTarget& ours) {
  std::vector<std::string> out;
  auto compare = [&](std::string_view what, const std::string& there, const std::string& here) {
    if (there != here)
      out.push_back(str(what, ": compiled for ", or_none(there), ", here ", or_none(here)));
  };
  compare("platform", theirs.platform, ours.platform);
  compare("device", theirs.device_kind, ours.device_kind);
  if (theirs.num_devices > ours.num_devices)
    out.push_back(
        str("devices: compiled for ", theirs.num_devices, ", here are ", ours.num_devices));
  if (theirs.platform != ours.platform) return out;  // nor are the others equal
  if (theirs.plugin_digest != ours.plugin_digest)
    compare("plugin", str(theirs.plugin_version, " (digest ", theirs.plugin_digest, ")"),
            str(ours.plugin_version, " (digest ", ours.plugin_digest, ")"));
  compare("compiler flags", theirs.compiler_flags, ours.compiler_flags);
  compare("CPU", theirs.cpu_features, ours.cpu_features);
  return out;
}

}  // namespace meshwright::runtime
