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

using CompileOptions = pjrt::CompileOptions;

/// So many executions of one program may be under way: one computes while the next is prepared. On
/// CPUs it is one where that would keep much memory twice.
inline constexpr std::size_t kMaxInFlight = 2;

struct Compiled;
struct OpTimes;

/// What a program takes and gives.
struct Signature {
  struct Argument {
    std::string name;  // for messages
    SharedLayout layout;
    bool is_donated = false;
  };
  struct Result {
    std::string name;
    SharedLayout layout;               // that of the donor, if it has one and both lie alike
    std::optional<std::size_t> donor;  // the argument whose memory it takes over
  };
  mesh::Mesh mesh;
  std::vector<Argument> arguments;
  std::vector<Result> results;
};

/// The same program with every argument and result laid out, whole where nothing was said: Shardy
/// would choose while compiling, and no caller could know what to pass.
graph::Program pin_layouts(graph::Program program);

/// graph::place_kernels, which logs the warnings that come of it.
graph::Program place_kernels(const graph::Program& program, std::string_view platform);

/// The signature of a traced program. Throws invalid_argument where a sharding does not suit.
Signature signature_of(const graph::Program& program);

/// A compiled program with its devices: a handle, cheap to copy.
class Executable {
 public:
  /// For the runtime. Without a signature the program is known by its text only and takes shards.
  Executable(std::shared_ptr<ClientState> client,
             Compiled compiled,
             std::optional<Signature> signature);

  /// Whether it was loaded from the cache and not compiled now.
  bool is_from_cache() const;
  int num_devices() const;
  int num_outputs() const;
  /// The type of each output on one device.
  const std::vector<ArrayType>& output_types() const;
  /// Throws invalid_argument if the program was compiled from text.
  const Signature& signature() const;
  /// The optimized program, as HLO text or what else the plugin writes.
  std::string optimized_program() const;

  /// Bytes per device that one execution needs; absent where the plugin does not tell.
  std::optional<pjrt::CompiledMemoryStats> memory() const;
  /// "flops", "bytes accessed", "optimal_seconds": what the plugin estimates, by its names.
  std::map<std::string, double> costs() const;

  /// Starts one execution; the results are computed meanwhile. Waits first while kMaxInFlight
  /// executions of this program are unfinished. Donated arguments are gone afterwards, in every
  /// handle to them; hand them over with std::move where that is the last handle, which saves
  /// allocations. Throws invalid_argument if an argument does not fit the signature or was donated
  /// before, device if this or an earlier execution failed.
  std::vector<DeviceArray> operator()(std::vector<DeviceArray> args) const;
  /// Waits for all executions so far. Throws device if one failed.
  void wait() const;

  /// An array that fits argument `index`.
  DeviceArray put_argument(std::size_t index,
                           const HostTensor& value,
                           HostMemoryUse use = HostMemoryUse::copy) const;
  /// The same of an array that is nowhere whole; see Client::put_parts.
  DeviceArray put_argument_parts(std::size_t index,
                                 const std::function<HostTensor(std::size_t part)>& part) const;

 private:
  friend std::vector<std::vector<HostTensor>> run_shards(
      const Executable& executable, const std::vector<std::vector<HostTensor>>& args);
  friend OpTimes time_ops(const Executable& executable);
  struct State;
  std::shared_ptr<State> state_;
};

/// Runs once and waits, with whole arrays: each device gets its shard of every argument, and the
/// results are put together again.
std::vector<HostTensor> run(const Executable& executable, const std::vector<HostTensor>& args);

/// Runs once and waits. args[device][i] is what the device holds of argument i; so is the result.
std::vector<std::vector<HostTensor>> run_shards(const Executable& executable,
                                                const std::vector<std::vector<HostTensor>>& args);

}  // namespace meshwright::runtime
