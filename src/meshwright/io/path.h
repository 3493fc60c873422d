// SPDX-License-Identifier: Apache-2.0
// Names of files below a root: relative, with '/', and never leading out of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshwright::io {

/// Throws invalid_argument unless `path` is a relative path that stays below its root on any
/// system: no empty, "." or ".." component, no backslash, no control character, no component over
/// 255 bytes, at most 4096 bytes in all. The empty path is the root.
void check_path(std::string_view path);

/// Whether check_path accepts it.
bool is_path(std::string_view path);

/// The components of "gda/decoder/w_q"; none for the root. Checks it.
std::vector<std::string> path_components(std::string_view path);

/// "step_1" and "gda/x" give "step_1/gda/x"; the root's path is empty on either side.
std::string join_path(std::string_view folder, std::string_view path);

/// "step_1/gda" of "step_1/gda/x", and "x"; the folder is empty for a file in the root.
std::string parent_of(std::string_view path);
std::string name_of(std::string_view path);

}  // namespace meshwright::io
