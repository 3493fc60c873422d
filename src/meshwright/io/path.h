// SPDX-License-Identifier: Apache-2.0
// Paths of files: relative to a root, separated by '/', and never leaving the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meshwright::io {

/// Throws invalid_argument unless `path` is a relative path that stays below its root on any
/// system. It must have no empty, "." or ".." component, no backslash, no control character, no
/// component longer than 255 bytes, and at most 4096 bytes in total. The empty path is the root.
void check_path(std::string_view path);

/// True if check_path() accepts `path`.
bool is_path(std::string_view path);

/// Returns the components of "gda/decoder/w_q"; none for the root. Throws the errors of
/// check_path().
std::vector<std::string> path_components(std::string_view path);

/// Joins "step_1" and "gda/x" into "step_1/gda/x". Either may be empty.
std::string join_path(std::string_view folder, std::string_view path);

/// Split "step_1/gda/x" into "step_1/gda" and "x". The parent of a file in the root is empty.
std::string parent_of(std::string_view path);
std::string name_of(std::string_view path);

}  // namespace meshwright::io
