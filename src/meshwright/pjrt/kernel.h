// SPDX-License-Identifier: Apache-2.0
// Functions of ours that a compiled program calls on the host: typed custom calls of XLA.
#pragma once

#include <string_view>

namespace meshwright::pjrt {

class KernelCall;
class Plugin;

/// What stablehlo.custom_call names. Made by kernel<Definition>().
struct Kernel {
  std::string_view name;
  /// Raise it when arguments, attributes, results or meaning change: compiled programs on disk hold
  /// calls of the old one.
  int abi_version = 1;
  /// The C entry; takes and returns pointers of the plugin's interface.
  void* (*entry)(void* call_frame) = nullptr;
};

/// Calls `run` for one call frame, by the rules of kernel_call.h.
void* enter_kernel(void* call_frame, std::string_view name, void (*run)(KernelCall&)) noexcept;

/// The kernel of a Definition with `static constexpr std::string_view kName`,
/// `static constexpr int kAbiVersion` and `static void run(KernelCall&)`.
template <typename Definition>
constexpr Kernel kernel() {
  return {Definition::kName, Definition::kAbiVersion, [](void* call_frame) {
            return enter_kernel(call_frame, Definition::kName, &Definition::run);
          }};
}

/// Makes programs of this plugin find the kernel. It must come before the program that calls it is
/// compiled or loaded. A second time does nothing. Throws invalid_argument if another kernel has
/// the name, unimplemented if the plugin takes no kernels.
void register_kernel(const Plugin& plugin, const Kernel& kernel);

}  // namespace meshwright::pjrt
