// SPDX-License-Identifier: Apache-2.0
// The store as called by a plugin.
#include "meshwright/pjrt/key_value.h"

#include <map>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/c/client.h"

namespace meshwright::pjrt {
namespace {

// Records errors as a plugin would receive them.
c::ErrorCode last_code;
std::string last_message;
int error_object;

c::Error* make_error(c::ErrorCode code, const char* message, std::size_t size) {
  last_code = code;
  last_message.assign(message, size);
  return reinterpret_cast<c::Error*>(&error_object);
}

class KeyValue : public ::testing::Test {
 protected:
  void SetUp() override {
    store.get = [this](const std::string& key, std::chrono::milliseconds timeout) {
      if (!content.contains(key))
        fail(ErrorCode::unavailable, key, " did not come within ", timeout.count(), " ms");
      return content[key];
    };
    store.try_get = [this](const std::string& key) {
      return content.contains(key) ? std::optional(content[key]) : std::nullopt;
    };
    store.put = [this](const std::string& key, const std::string& value) {
      if (key.empty()) throw std::runtime_error("no key");
      content[key] = value;
    };
    set_key_value_store(create, store);
  }

  template <typename Args>
  Args with_key(std::string_view key, void* user_arg) {
    Args args;
    args.key = key.data();
    args.key_size = key.size();
    args.callback_error = &callback_error;
    args.user_arg = user_arg;
    return args;
  }
  c::Error* put(std::string_view key, std::string_view value) {
    auto args = with_key<c::KeyValuePutCallbackArgs>(key, create.kv_put_user_arg);
    args.value = value.data();
    args.value_size = value.size();
    return create.kv_put_callback(&args);
  }

  std::map<std::string, std::string> content;
  KeyValueStore store;
  c::ClientCreateArgs create;
  c::CallbackError callback_error = make_error;
};

TEST_F(KeyValue, CarriesBytesBothWays) {
  const std::string value("a\0b", 3);
  EXPECT_EQ(put("key", value), nullptr);
  EXPECT_EQ(content["key"], value);
  auto args = with_key<c::KeyValueGetCallbackArgs>("key", create.kv_get_user_arg);
  ASSERT_EQ(create.kv_get_callback(&args), nullptr);
  EXPECT_EQ(std::string(args.value, args.value_size), value);
  args.value_deleter_callback(args.value);
}

TEST_F(KeyValue, TryGetOfNothingIsNotFound) {
  auto args = with_key<c::KeyValueTryGetCallbackArgs>("key", create.kv_try_get_user_arg);
  EXPECT_NE(create.kv_try_get_callback(&args), nullptr);
  EXPECT_EQ(last_code, c::ErrorCode::not_found);
  put("key", "");
  ASSERT_EQ(create.kv_try_get_callback(&args), nullptr);
  EXPECT_EQ(args.value_size, 0u);
  args.value_deleter_callback(args.value);
}

TEST_F(KeyValue, ExceptionsBecomeErrorsOfThePlugin) {
  auto args = with_key<c::KeyValueGetCallbackArgs>("key", create.kv_get_user_arg);
  args.timeout_in_ms = 50;
  EXPECT_NE(create.kv_get_callback(&args), nullptr);
  EXPECT_EQ(last_code, c::ErrorCode::unavailable);
  EXPECT_EQ(last_message, "key did not come within 50 ms");
  EXPECT_NE(put("", "value"), nullptr);
  EXPECT_EQ(last_code, c::ErrorCode::internal);
  EXPECT_EQ(last_message, "no key");
}

}  // namespace
}  // namespace meshwright::pjrt
