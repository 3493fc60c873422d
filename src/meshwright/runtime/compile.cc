// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/compile.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/runtime/cpu_features.h"
#include "meshwright/runtime/platform_flags.h"

namespace meshwright::runtime {
namespace {

/// Returns the flags that XLA and libtpu read from the environment.
std::string compiler_flags() {
  std::string flags;
  for (const char* name : {"XLA_FLAGS", "LIBTPU_INIT_ARGS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) flags += str(name, "=", value, "\n");
  }
  return flags;
}

std::string key_of(ClientState& client,
                   const std::string& text,
                   const pjrt::CompileOptions& options) {
  std::string flags = compiler_flags();
  CacheKeyParts parts{.program = text, .xla_flags = flags};
  std::string compile_options = pjrt::serialize(options);
  std::string features = cpu_features();
  parts.compile_options = compile_options;
  parts.cpu_features = features;
  parts.plugin_digest = client.plugin_digest();
  parts.device_kind = client.device_kind;
  for (const auto& [name, version] : client.kernels())
    if (text.find(name) != std::string::npos) parts.kernels.emplace_back(name, version);
  return cache_key(parts);
}

/// Loads a program from the cache; nullopt if it is missing or the plugin rejects it.
std::optional<pjrt::LoadedExecutable> load(const ClientState& client, const std::string& key) {
  std::optional<std::string> bytes = client.cache.find(key);
  if (!bytes) return std::nullopt;
  try {
    return client.pjrt.load(*bytes);
  } catch (const Error& error) {
    client.cache.reject(key, error.what());
    return std::nullopt;
  }
}

void keep(const ClientState& client, const std::string& key, const pjrt::LoadedExecutable& loaded) {
  try {
    client.cache.store(key, loaded.executable().serialize());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unimplemented) throw;  // the plugin cannot serialize
  }
}

std::int64_t milliseconds_since(std::chrono::steady_clock::time_point start) {
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

namespace {

Compiled compile_or_load_with(ClientState& client,
                              const std::string& key_text,
                              const std::function<std::string()>& full_text,
                              const pjrt::CompileOptions& options) {
  if (!client.cache.is_enabled()) return {client.pjrt.compile(full_text(), options)};
  std::string key = key_of(client, key_text, options);
  const auto start = std::chrono::steady_clock::now();
  if (auto loaded = load(client, key)) {
    log_at(1, "loaded a program from the cache in ", milliseconds_since(start), " ms");
    return {std::move(*loaded), true};
  }
  pjrt::LoadedExecutable loaded = client.pjrt.compile(full_text(), options);
  log_at(1, "compiled a program in ", milliseconds_since(start), " ms");
  keep(client, key, loaded);
  return {std::move(loaded)};
}

}  // namespace

Compiled compile_or_load(ClientState& client,
                         const std::string& key_text,
                         const std::function<std::string()>& full_text,
                         const pjrt::CompileOptions& options) {
  std::optional<Compiled> out;
  with_platform_flags(client.pjrt.platform_name(), options,
                      [&](const pjrt::CompileOptions& with_flags) {
                        out = compile_or_load_with(client, key_text, full_text, with_flags);
                      });
  return *std::move(out);
}

}  // namespace meshwright::runtime
