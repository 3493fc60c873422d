// SPDX-License-Identifier: Apache-2.0
// The list of formats. To add one, extend the list in all_formats.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format/format.h"

namespace meshwright::checkpoint {

/// Return all formats, their names, and the format with a given name; find_format() returns nullptr
/// for an unknown name.
const std::vector<const Format*>& formats();
std::vector<std::string> format_names();
const Format* find_format(std::string_view name);
/// Throws invalid_argument, listing the known names, if there is no such format.
const Format& format_named(std::string_view name);

}  // namespace meshwright::checkpoint
