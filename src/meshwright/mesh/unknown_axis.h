// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// Throws invalid_argument with a message that `mesh` has no axis `name`. `what` precedes the cause
/// and `where` follows it. The remedy suggests the axis with the most similar name and lists all
/// axes.
[[noreturn]] void fail_unknown_axis(const Mesh& mesh,
                                    std::string_view name,
                                    std::string_view what,
                                    std::string_view where = "");

}  // namespace meshwright::mesh
