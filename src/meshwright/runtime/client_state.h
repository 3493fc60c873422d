// SPDX-License-Identifier: Apache-2.0
// What the handles of one client share. Not for other folders.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "meshwright/pjrt/client.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_errors.h"
#include "meshwright/runtime/compile_cache.h"

namespace meshwright::runtime {

struct ClientState {
  ClientState(const pjrt::Plugin& plugin,
              const std::vector<pjrt::NamedValue>& options,
              CompileCache programs);

  /// Lets programs call the kernel. Throws unimplemented on other platforms than the CPU.
  void add_kernel(const pjrt::Kernel& kernel);
  /// Names and ABI versions of those added so far.
  std::map<std::string, int> kernels();
  /// SHA-256 of the plugin's file.
  const std::string& plugin_digest();

  /// The number of an execution that is about to start, for LoadedExecutable::execute.
  int next_run() { return is_cpu ? kernel_errors.next_run() : 0; }
  /// Throws the error of a kernel that failed since the last call. To be called wherever something
  /// was waited for: the arrays themselves hold NaN and no error.
  void throw_kernel_error();

  pjrt::KernelErrors kernel_errors;  // first: kernels may run until the client is gone
  pjrt::Client pjrt;
  const bool is_cpu;  // where kernels run
  const CompileCache cache;
  const std::string device_kind;
  std::mutex launching;  // held while one program starts on all its devices

 private:
  std::mutex mutex_;  // guards what follows
  std::map<std::string, int> kernels_;
  std::string plugin_digest_;
};

}  // namespace meshwright::runtime
