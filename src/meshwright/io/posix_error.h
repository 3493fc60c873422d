// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <string_view>

namespace meshwright::io {

/// Throws the Error for an errno value, with the message "<doing> <name>: <reason>".
[[noreturn]] void fail_errno(std::string_view doing, std::string_view name, int number = errno);

}  // namespace meshwright::io
