// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/plugin.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include <dlfcn.h>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/library_file.h"
#include "meshwright/pjrt/plugin_remedy.h"

namespace meshwright::pjrt {
namespace {

constexpr const char* kFetch = "\nfetch the pinned plugin: tools/fetch_xla";

const c::Api* open_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail_with_remedy(ErrorCode::device, name_another_plugin(), "PJRT plugin ", path,
                     " cannot be loaded: ", dlerror(), kFetch);
  using GetPjrtApi = const c::Api* (*)();
  auto get_api = reinterpret_cast<GetPjrtApi>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr)
    fail_with_remedy(ErrorCode::device, name_another_plugin(), path,
                     " is a library but not a PJRT plugin: it has no GetPjrtApi", kFetch);
  const c::Api* api = get_api();
  if (api == nullptr)
    fail_with_remedy(ErrorCode::device, name_another_plugin(), "PJRT plugin ", path,
                     " returned no API", kFetch);
  return api;
}

std::string checked_path(const std::string& path) {
  std::string fault = library_fault(path);
  if (!fault.empty())
    fail_with_remedy(ErrorCode::device, name_another_plugin(), "PJRT plugin ", path, " ", fault,
                     kFetch);
  // Libraries beside a plugin are located relative to its real path.
  return std::filesystem::canonical(path).string();
}

std::string extension_name(c::ExtensionType type) {
  static constexpr std::string_view kNames[] = {"gpu custom call",
                                                "profiler",
                                                "custom partitioner",
                                                "stream",
                                                "layouts",
                                                "ffi",
                                                "memory descriptions",
                                                "triton",
                                                "raw buffer",
                                                "phase compile",
                                                "example",
                                                "unknown",
                                                "cross-host transfers",
                                                "executable metadata",
                                                "callback",
                                                "host allocator"};
  auto number = static_cast<std::size_t>(type);
  return number < std::size(kNames) ? std::string(kNames[number]) : str("extension ", number);
}

}  // namespace

std::string to_string(const ApiVersion& version) {
  return str(version.major, ".", version.minor);
}

const Plugin& Plugin::load(const std::string& path) {
  static std::mutex mutex;
  static auto& plugins = *new std::map<std::string, std::unique_ptr<Plugin>>;
  std::string real = checked_path(path);
  std::lock_guard lock(mutex);
  auto& plugin = plugins[real];
  if (plugin == nullptr) {
    std::unique_ptr<Plugin> fresh(new Plugin(real, open_library(real)));
    call(*fresh, &c::Api::plugin_initialize, {}, str("initializing the PJRT plugin ", real));
    plugin = std::move(fresh);
  }
  return *plugin;
}

Plugin::Plugin(std::string path, const c::Api* api)
    : path_(std::move(path)),
      api_(api),
      version_{api->version.major_version, api->version.minor_version} {
  if (version_.major != kOldestApiVersion.major || version_.minor < kOldestApiVersion.minor)
    fail_with_remedy(ErrorCode::device, name_another_plugin(), "PJRT plugin ", path_, " has API ",
                     version_, ", but ", kOldestApiVersion, " or a newer ", kOldestApiVersion.major,
                     ".x is required", kFetch);
}

std::vector<NamedValue> Plugin::attributes() const {
  auto args = call(*this, &c::Api::plugin_attributes, {}, "reading the plugin's attributes");
  return from_c(args.attributes, args.num_attributes);
}

std::vector<std::string> Plugin::extensions() const {
  std::vector<std::string> out;
  for (const auto* at = api_->header.extension_start; at != nullptr; at = at->next)
    out.push_back(extension_name(at->type));
  return out;
}

const c::ExtensionBase* Plugin::find_extension(int type) const {
  const auto* at = api_->header.extension_start;
  while (at != nullptr && static_cast<int>(at->type) != type)
    at = at->next;
  return at;
}

bool Plugin::offers(std::size_t entry_end) const {
  return entry_end <= api_->header.struct_size;
}

}  // namespace meshwright::pjrt
