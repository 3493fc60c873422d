// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/mesh/mesh.h"

namespace meshwright::mesh {

/// Throws invalid_argument: `mesh` has no axis called `name`. `what` stands in front, `where`
/// behind the cause; the remedy names the nearest axis and those there are.
[[noreturn]] void fail_unknown_axis(const Mesh& mesh,
                                    std::string_view name,
                                    std::string_view what,
                                    std::string_view where = "");

}  // namespace meshwright::mesh
