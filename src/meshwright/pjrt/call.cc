// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/call.h"

#include <string>

#include "meshwright/base/error.h"

namespace meshwright::pjrt {
namespace {

ErrorCode kind_of(const Plugin& plugin, const c::Error* error) {
  c::ErrorGetCodeArgs args{.error = error};
  discard(plugin, plugin.api().error_get_code(&args));
  return args.code == c::ErrorCode::unimplemented ? ErrorCode::unimplemented : ErrorCode::device;
}

}  // namespace

void check(const Plugin& plugin, c::Error* error, std::string_view doing) {
  if (error == nullptr) return;
  c::ErrorMessageArgs message{.error = error};
  plugin.api().error_message(&message);
  ErrorCode code = kind_of(plugin, error);
  std::string text(message.message, message.message_size);
  discard(plugin, error);
  fail(code, doing, ": ", text);
}

void discard(const Plugin& plugin, c::Error* error) noexcept {
  if (error == nullptr) return;
  c::ErrorDestroyArgs args{.error = error};
  plugin.api().error_destroy(&args);
}

void fail_not_offered(const Plugin& plugin, std::string_view doing) {
  fail(ErrorCode::unimplemented, doing, ": the plugin ", plugin.path(), " (PJRT API ",
       plugin.api_version(), ") does not support this\nuse a newer plugin");
}

}  // namespace meshwright::pjrt
