// SPDX-License-Identifier: Apache-2.0
// What the handles of one client share. Not for other folders.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "meshwright/pjrt/client.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {

struct ClientState {
  ClientState(const pjrt::Plugin& plugin,
              const std::vector<pjrt::NamedValue>& options,
              CompileCache programs);

  /// Lets programs call the kernel.
  void add_kernel(const pjrt::Kernel& kernel);
  /// Names and ABI versions of those added so far.
  std::map<std::string, int> kernels();
  /// SHA-256 of the plugin's file.
  const std::string& plugin_digest();

  pjrt::Client pjrt;
  const CompileCache cache;
  const std::string device_kind;
  std::mutex launching;  // held while one program starts on all its devices

 private:
  std::mutex mutex_;  // guards what follows
  std::map<std::string, int> kernels_;
  std::string plugin_digest_;
};

/// Throws the error of a kernel that failed since the last call. To be called wherever something
/// was waited for: the arrays themselves hold NaN and no error.
void throw_kernel_error();

}  // namespace meshwright::runtime
