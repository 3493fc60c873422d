// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/diagnosis.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/plugin.h"
#include "meshwright/runtime/cpu_features.h"
#include "meshwright/runtime/plugin_choice.h"
#include "meshwright/runtime/plugin_environment.h"
#include "meshwright/runtime/xla_flags.h"

namespace meshwright::runtime {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Problem problem_of(const Error& error) {
  const auto* with_remedy = dynamic_cast<const ErrorWithRemedy*>(&error);
  const std::string& message = with_remedy != nullptr ? with_remedy->cause() : error.message();
  Problem out{.cause = message.substr(0, message.find('\n')), .remedy = ""};
  if (out.cause.size() < message.size()) out.remedy = message.substr(out.cause.size() + 1);
  if (with_remedy != nullptr) out.choice = with_remedy->remedy();
  return out;
}

void examine_host(Diagnosis& diagnosis) {
  diagnosis.num_cpus = static_cast<int>(std::thread::hardware_concurrency());
  diagnosis.host_memory_bytes =
      std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
  diagnosis.has_jemalloc = dlsym(RTLD_DEFAULT, "mallctl") != nullptr;
  static constexpr std::string_view kTelling[] = {
      "avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "sve", "bf16"};
  std::istringstream all(cpu_features());
  for (std::string feature; all >> feature;)
    if (std::ranges::find(kTelling, feature) != std::end(kTelling))
      diagnosis.cpu_features.push_back(feature);
  for (const char* name :
       {"MESHWRIGHT_PLUGIN_PATH", "MESHWRIGHT_CACHE_DIR", "PJRT_NAMES_AND_LIBRARY_PATHS",
        "PJRT_NPROC", "XLA_FLAGS", "LIBTPU_INIT_ARGS", "CUDA_VISIBLE_DEVICES"})
    if (const char* value = std::getenv(name)) diagnosis.environment.emplace_back(name, value);
}

void examine_plugin(Diagnosis& diagnosis, const ClientOptions& options) {
  diagnosis.plugin_path = plugin_path(options.platform, options.plugin_path);
  prepare_plugin_environment(options.platform);
  const auto& plugin = pjrt::Plugin::load(diagnosis.plugin_path);
  if (options.platform == "cpu" || !xla_flags_of_user().empty())
    check_xla_flags(plugin, options.platform);
  diagnosis.plugin_path = plugin.path();
  diagnosis.api_version = to_string(plugin.api_version());
  diagnosis.extensions = plugin.extensions();
  if (options.platform == "cpu" &&
      std::ranges::find(diagnosis.extensions, "ffi") == diagnosis.extensions.end())
    diagnosis.problems.push_back({str("the plugin ", plugin.path(),
                                      " has no FFI extension, so Meshwright's kernels cannot run"),
                                  "fetch the pinned plugin: tools/fetch_xla, or disable kernels: "
                                  "kernels = \"xla\" in a config"});
  for (const pjrt::NamedValue& attribute : plugin.attributes())
    diagnosis.plugin_attributes.emplace_back(
        attribute.name, std::visit([](const auto& value) { return str(value); }, attribute.value));
}

/// Sums an array sharded over all devices. This exercises the compiler, every device and, with
/// several devices, a collective.
void check_program(const Client& client) {
  const int n = client.num_devices();
  std::string text = str(
      "module @check attributes {mhlo.num_partitions = ", n,
      " : i32} {\n  sdy.mesh @mesh = <[\"d\"=", n, "]>\n  func.func public @main(%x: tensor<", n,
      "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}]>}) -> (tensor<f32> {sdy.sharding = ",
      "#sdy.sharding<@mesh, []>}) {\n    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n",
      "    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] "
      ": ",
      "(tensor<", n, "xf32>, tensor<f32>) -> tensor<f32>\n    return %sum : tensor<f32>\n  }\n}\n");
  Executable program = client.compile_text(text, {.num_partitions = n});
  std::vector<std::vector<HostTensor>> ones(static_cast<std::size_t>(n),
                                            {HostTensor::from<float>({1}, {1})});
  float sum = run_shards(program, ones).back()[0].values<float>()[0];
  if (sum != static_cast<float>(n))
    fail(ErrorCode::device, "the sum of ", n, " ones over all devices is ", sum,
         "\nthe plugin or a device is broken: try another plugin, or fewer devices");
}

}  // namespace

Diagnosis diagnose(const ClientOptions& options) {
  Diagnosis diagnosis{.platform = options.platform};
  examine_host(diagnosis);
  diagnosis.cache = CompileCache(options.cache_folder, options.cache_max_bytes).state();
  if (!diagnosis.cache.is_writable)
    diagnosis.problems.push_back(
        {str("compiled programs are not cached: ", diagnosis.cache.fault),
         "set MESHWRIGHT_CACHE_DIR to a writable folder; otherwise every start recompiles"});
  try {
    Stopwatch opening;
    examine_plugin(diagnosis, options);
    ClientOptions without_cache = options;
    without_cache.cache_folder.clear();
    Client client(without_cache);
    diagnosis.open_seconds = opening.seconds();
    diagnosis.platform_version = client.platform_version();
    diagnosis.devices = client.devices();
    Stopwatch checking;
    check_program(client);
    diagnosis.check_seconds = checking.seconds();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::invalid_argument) throw;
    diagnosis.problems.push_back(problem_of(error));
  }
  return diagnosis;
}

}  // namespace meshwright::runtime
