// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/: state shared by all handles of a client.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "meshwright/pjrt/client.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_errors.h"
#include "meshwright/runtime/build_target.h"
#include "meshwright/runtime/compile_cache.h"
#include "meshwright/runtime/program_bundle.h"

namespace meshwright::runtime {

struct ClientState {
  ClientState(const pjrt::Plugin& plugin,
              const std::vector<pjrt::NamedValue>& options,
              CompileCache programs);

  /// Makes a kernel callable. Throws unimplemented on platforms other than the CPU.
  void add_kernel(const pjrt::Kernel& kernel);
  /// Returns the names and ABI versions of all kernels added so far.
  std::map<std::string, int> kernels();
  /// Returns the compiler and the devices of programs, with the present flags of the environment.
  /// The first call digests the plugin, which takes a second unless the cache remembers it.
  BuildTarget target();

  /// Returns the run id for the next execution (see LoadedExecutable::execute).
  int next_run() { return is_cpu ? kernel_errors.next_run() : 0; }
  /// Throws the error of a kernel that has failed since the last call. Call this after every wait:
  /// the arrays themselves hold NaN but no error.
  void throw_kernel_error();

  pjrt::KernelErrors
      kernel_errors;  // declared first: kernels may run until the client is destroyed
  pjrt::Client pjrt;
  const bool is_cpu;  // kernels run on the CPU only
  const CompileCache cache;
  const std::string device_kind;
  std::optional<ProgramBundle> bundle;  // set once, before anything is compiled
  std::mutex launching;                 // held while a program starts on all its devices

 private:
  std::mutex mutex_;  // guards the following members
  std::map<std::string, int> kernels_;
  std::string plugin_digest_;
};

}  // namespace meshwright::runtime
