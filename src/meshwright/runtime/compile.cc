// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/compile.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/runtime/platform_flags.h"

namespace meshwright::runtime {
namespace {

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

/// Loads a program from the client's bundle; nullopt if that has none with this key.
std::optional<pjrt::LoadedExecutable> load_bundled(const ClientState& client,
                                                   const std::string& key) {
  const BundledProgram* program = client.bundle ? client.bundle->find(key) : nullptr;
  if (program == nullptr) return std::nullopt;
  try {
    return client.pjrt.load(program->executable);
  } catch (const Error& error) {
    fail(error.code(), "the plugin cannot load the program '", program->name,
         "' that was compiled ahead: ", error.message());
  }
}

pjrt::LoadedExecutable compile(const ClientState& client,
                               const std::string& text,
                               const pjrt::CompileOptions& options) {
  std::optional<pjrt::LoadedExecutable> out;
  with_platform_flags(
      client.pjrt.platform_name(), options,
      [&](const pjrt::CompileOptions& flagged) { out = client.pjrt.compile(text, flagged); });
  return *std::move(out);
}

}  // namespace

std::string key_of(ClientState& client,
                   const std::string& text,
                   const pjrt::CompileOptions& options) {
  return program_key(client.target(), text, options, client.kernels());
}

Compiled compile_or_load(ClientState& client,
                         const std::string& key_text,
                         const std::function<std::string()>& full_text,
                         const pjrt::CompileOptions& options) {
  if (!client.cache.is_enabled() && !client.bundle) return {compile(client, full_text(), options)};
  const std::string key = key_of(client, key_text, options);
  const auto start = std::chrono::steady_clock::now();
  if (auto loaded = load_bundled(client, key)) {
    log_at(1, "loaded a program compiled ahead in ", milliseconds_since(start), " ms");
    return {std::move(*loaded), true};
  }
  if (auto loaded = load(client, key)) {
    log_at(1, "loaded a program from the cache in ", milliseconds_since(start), " ms");
    return {std::move(*loaded), true};
  }
  pjrt::LoadedExecutable loaded = compile(client, full_text(), options);
  log_at(1, "compiled a program in ", milliseconds_since(start), " ms");
  keep(client, key, loaded);
  return {std::move(loaded)};
}

}  // namespace meshwright::runtime
