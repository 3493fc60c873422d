// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace meshwright::pjrt {

class Plugin;

namespace c {
struct Event;
struct Client;
struct Executable;
struct LoadedExecutable;
struct Buffer;
struct TopologyDescription;
}  // namespace c

void destroy(const Plugin& plugin, c::Event* event) noexcept;
void destroy(const Plugin& plugin, c::Client* client) noexcept;
void destroy(const Plugin& plugin, c::Executable* executable) noexcept;
void destroy(const Plugin& plugin, c::LoadedExecutable* executable) noexcept;
void destroy(const Plugin& plugin, c::Buffer* buffer) noexcept;
void destroy(const Plugin& plugin, c::TopologyDescription* topology) noexcept;

/// Owns an object of a plugin.
template <typename T>
class Handle {
 public:
  Handle() = default;
  Handle(const Plugin& plugin, T* object) : plugin_(&plugin), object_(object) {}
  Handle(Handle&& other) noexcept
      : plugin_(other.plugin_), object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      plugin_ = other.plugin_;
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  void reset() noexcept {
    if (object_ != nullptr) destroy(*plugin_, std::exchange(object_, nullptr));
  }
  T* get() const { return object_; }
  const Plugin& plugin() const { return *plugin_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const Plugin* plugin_ = nullptr;
  T* object_ = nullptr;
};

}  // namespace meshwright::pjrt
