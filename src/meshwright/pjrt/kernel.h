// SPDX-License-Identifier: Apache-2.0
// Kernels: host functions in Meshwright that compiled programs call through XLA's typed FFI.
#pragma once

#include <string_view>

namespace meshwright::pjrt {

class KernelCall;
class Plugin;

/// The target of a stablehlo.custom_call. Made by kernel<Definition>().
struct Kernel {
  std::string_view name;
  /// Increment this if arguments, attributes, results or semantics change: cached programs contain
  /// calls to the old version.
  int abi_version = 1;
  /// The C entry point. Takes an XLA_FFI_CallFrame* and returns an XLA_FFI_Error*, which is always
  /// null: errors are recorded instead.
  void* (*entry)(void* call_frame) = nullptr;
};

/// Calls `run` for a call frame. If it throws, fills the results with NaN and records the error.
void* enter_kernel(void* call_frame, std::string_view name, void (*run)(KernelCall&)) noexcept;

/// Returns the kernel of a Definition with `static constexpr std::string_view kName`, `static
/// constexpr int kAbiVersion` and `static void run(KernelCall&)`.
template <typename Definition>
constexpr Kernel kernel() {
  return {Definition::kName, Definition::kAbiVersion, [](void* call_frame) {
            return enter_kernel(call_frame, Definition::kName, &Definition::run);
          }};
}

/// Makes a kernel callable from programs of this plugin. Call this before compiling or loading such
/// a program. Repeated calls have no effect. Throws invalid_argument if another kernel has the same
/// name, and unimplemented if the plugin does not support kernels.
void register_kernel(const Plugin& plugin, const Kernel& kernel);

}  // namespace meshwright::pjrt
