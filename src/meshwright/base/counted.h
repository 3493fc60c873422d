// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages and reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright {

/// Returns text such as "1,234,567".
std::string with_separators(std::int64_t number);

/// Returns text such as "1 document" or "1,234 documents". `plural` is for nouns that need more
/// than an s.
std::string counted(std::int64_t number, std::string_view noun, std::string_view plural = {});

}  // namespace meshwright
