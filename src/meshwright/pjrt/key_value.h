// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace meshwright::pjrt {

namespace c {
struct ClientCreateArgs;
}  // namespace c

/// A store shared by all processes, through which their plugins find each other. Any thread may
/// call its functions during the lifetime of the client. They report errors by throwing.
struct KeyValueStore {
  /// Waits for the key for at most `timeout`.
  std::function<std::string(const std::string& key, std::chrono::milliseconds timeout)> get;
  std::function<std::optional<std::string>(const std::string& key)> try_get;
  std::function<void(const std::string& key, const std::string& value)> put;
};

/// Lets the plugin call `store`, which must outlive the client.
void set_key_value_store(c::ClientCreateArgs& args, const KeyValueStore& store);

}  // namespace meshwright::pjrt
