// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/key_value.h"

#include <cstring>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/c/client.h"
#include "meshwright/pjrt/handover.h"

namespace meshwright::pjrt {
namespace {

c::ErrorCode code_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::not_found:
      return c::ErrorCode::not_found;
    case ErrorCode::already_exists:
      return c::ErrorCode::already_exists;
    case ErrorCode::unavailable:
      return c::ErrorCode::unavailable;
    default:
      return c::ErrorCode::internal;
  }
}

/// Calls `action` and converts any exception to a plugin error.
template <typename Args, typename Action>
c::Error* guarded(const Args& args, Action action) noexcept {
  auto fail_with = [&](c::ErrorCode code, const char* message) {
    return (*args.callback_error)(code, message, std::strlen(message));
  };
  take_over(args.user_arg);
  try {
    return action(*static_cast<const KeyValueStore*>(args.user_arg));
  } catch (const Error& error) {
    return fail_with(code_of(error), error.what());
  } catch (const std::exception& error) {
    return fail_with(c::ErrorCode::internal, error.what());
  } catch (...) {
    return fail_with(c::ErrorCode::internal, "unknown exception");
  }
}

/// Sets the value to a copy, which the plugin frees with the deleter.
template <typename Args>
void return_value(Args& args, const std::string& value) {
  args.value = new char[value.size()];
  std::memcpy(args.value, value.data(), value.size());
  args.value_size = value.size();
  args.value_deleter_callback = [](char* bytes) {
    take_over(bytes);
    delete[] bytes;
  };
  hand_over(args.value);
}

c::Error* get(c::KeyValueGetCallbackArgs* args) noexcept {
  return guarded(*args, [&](const KeyValueStore& store) -> c::Error* {
    return_value(*args, store.get(std::string(args->key, args->key_size),
                                  std::chrono::milliseconds(args->timeout_in_ms)));
    return nullptr;
  });
}

c::Error* try_get(c::KeyValueTryGetCallbackArgs* args) noexcept {
  return guarded(*args, [&](const KeyValueStore& store) -> c::Error* {
    std::string key(args->key, args->key_size);
    std::optional<std::string> value = store.try_get(key);
    if (!value) fail(ErrorCode::not_found, "no key ", key);
    return_value(*args, *value);
    return nullptr;
  });
}

c::Error* put(c::KeyValuePutCallbackArgs* args) noexcept {
  return guarded(*args, [&](const KeyValueStore& store) -> c::Error* {
    store.put(std::string(args->key, args->key_size), std::string(args->value, args->value_size));
    return nullptr;
  });
}

}  // namespace

void set_key_value_store(c::ClientCreateArgs& args, const KeyValueStore& store) {
  void* arg = const_cast<KeyValueStore*>(&store);  // only read, through the const functions above
  hand_over(arg);
  args.kv_get_callback = get;
  args.kv_get_user_arg = arg;
  args.kv_try_get_callback = try_get;
  args.kv_try_get_user_arg = arg;
  args.kv_put_callback = put;
  args.kv_put_user_arg = arg;
}

}  // namespace meshwright::pjrt
