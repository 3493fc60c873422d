// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/pjrt/compile_options.h"
#include "meshwright/pjrt/executable.h"
#include "meshwright/runtime/array_layout.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::runtime {

/// How a traced program is compiled. The program's mesh determines the number of devices.
struct CompileOptions {
  /// The device at each mesh position. Defaults to 0, 1, 2, ...
  std::vector<int> device_ids = {};
  /// XLA options for this program only; see pjrt::CompileOptions.
  std::map<std::string, pjrt::CompileOptions::DebugValue> debug_options = {};
  /// If false, XLA compiles every op and no kernel is called.
  bool use_kernels = true;
};

/// Maximum number of unfinished executions of a program: one runs while the next is prepared. On
/// CPUs, a program that needs a lot of memory is limited to one.
inline constexpr std::size_t kMaxInFlight = 2;

struct Compiled;
struct OpTimes;

/// The arguments and results of a program.
struct Signature {
  struct Argument {
    std::string name;  // for messages
    SharedLayout layout;
    bool is_donated = false;
    bool is_on_host = false;  // in pinned memory of the host
  };
  struct Result {
    std::string name;
    SharedLayout layout;               // the donor's object if its layout is equal
    std::optional<std::size_t> donor;  // the argument whose memory it reuses
  };
  mesh::Mesh mesh;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  std::vector<graph::KernelChoice> kernel_choices;  // which ops became kernels, and why
};

/// Returns the signature of a traced program. Throws invalid_argument for an unsuitable sharding.
Signature signature_of(const graph::Program& program);

/// A compiled program with its devices. A handle, cheap to copy.
class Executable {
 public:
  /// Used by the runtime. A program without a signature was compiled from text; run it with
  /// run_shards().
  Executable(std::shared_ptr<ClientState> client,
             Compiled compiled,
             std::optional<Signature> signature);

  /// True if the program was loaded from the cache.
  bool is_from_cache() const;
  int num_devices() const;
  int num_outputs() const;
  /// Returns the type of each output on one device.
  const std::vector<ArrayType>& output_types() const;
  /// Throws invalid_argument if the program was compiled from text.
  const Signature& signature() const;
  /// Returns the optimized program as HLO text or in another format that the plugin uses.
  std::string optimized_program() const;

  /// Returns the bytes per device that one execution needs; nullopt if the plugin does not report
  /// them.
  std::optional<pjrt::CompiledMemoryStats> memory() const;
  /// Returns the plugin's estimates by name, such as "flops", "bytes accessed" and
  /// "optimal_seconds".
  std::map<std::string, double> costs() const;

  /// Starts an execution and returns its results before they are computed. First waits until fewer
  /// than kMaxInFlight executions of this program are unfinished. Donated arguments become invalid
  /// in all handles; passing the last handle by move saves allocations. Throws invalid_argument if
  /// an argument does not match the signature or has already been donated, and device if this or an
  /// earlier execution failed.
  std::vector<DeviceArray> operator()(std::vector<DeviceArray> args) const;
  /// Waits for all executions so far. Throws device if one failed.
  void wait() const;

  /// Creates an array with the layout of argument `index`.
  DeviceArray put_argument(std::size_t index,
                           const HostTensor& value,
                           HostMemoryUse use = HostMemoryUse::copy) const;
  /// Creates an array for argument `index` from its shards. See Client::put_shards.
  DeviceArray put_argument_shards(std::size_t index,
                                  const std::function<HostTensor(std::size_t part)>& part) const;

 private:
  friend std::vector<std::vector<HostTensor>> run_shards(
      const Executable& executable, const std::vector<std::vector<HostTensor>>& args);
  friend OpTimes time_ops(const Executable& executable);
  struct State;
  std::shared_ptr<State> state_;
};

/// Runs the program once with whole arrays and waits: shards the arguments and assembles the
/// results.
std::vector<HostTensor> run(const Executable& executable, const std::vector<HostTensor>& args);

/// Runs the program once with shards and waits. args[device][i] is the shard of argument i on a
/// device; the results are indexed in the same way.
std::vector<std::vector<HostTensor>> run_shards(const Executable& executable,
                                                const std::vector<std::vector<HostTensor>>& args);

}  // namespace meshwright::runtime
