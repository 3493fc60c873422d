// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/c/ffi.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/kernel.h"

namespace meshwright::pjrt {

void register_kernel(const Plugin& plugin, const Kernel& kernel) {
  static std::mutex mutex;
  static auto& registered = *new std::map<std::pair<const Plugin*, std::string>, const void*>;
  std::lock_guard lock(mutex);
  const void* entry = reinterpret_cast<const void*>(kernel.entry);
  auto [place, is_new] = registered.try_emplace({&plugin, std::string(kernel.name)}, entry);
  MW_CHECK(place->second == entry, "two kernels are named ", kernel.name, "\nrename one of them");
  if (!is_new) return;
  const auto* extension = reinterpret_cast<const c::FfiExtension*>(
      plugin.find_extension(static_cast<int>(c::ExtensionType::ffi)));
  if (extension == nullptr) {
    registered.erase(place);
    fail(ErrorCode::unimplemented, "kernel ", kernel.name, ": the plugin ", plugin.path(),
         " has no FFI extension, so programs cannot call it\nfetch the pinned plugin: "
         "tools/fetch_xla, or disable kernels: kernels = \"xla\" in a config");
  }
  constexpr std::string_view kPlatform = "Host";
  c::FfiRegisterHandlerArgs args{.target_name = kernel.name.data(),
                                 .target_name_size = kernel.name.size(),
                                 .handler = reinterpret_cast<void*>(kernel.entry),
                                 .platform_name = kPlatform.data(),
                                 .platform_name_size = kPlatform.size()};
  check(plugin, extension->register_handler(&args), str("registering the kernel ", kernel.name));
}

}  // namespace meshwright::pjrt
