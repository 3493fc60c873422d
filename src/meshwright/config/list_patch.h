// SPDX-License-Identifier: Apache-2.0
// Overrides of lists: evals.0.n=5 changes an element; log.type=every_n log.n=5 replaces the whole
// list with a single table.
#pragma once

#include <string>
#include <string_view>

#include "meshwright/base/str.h"
#include "meshwright/config/node.h"

namespace meshwright::config {

/// True if the overrides describe a single table instead of elements of the list.
inline bool replaces_list(const Table& patch) {
  return patch.find("type") != nullptr;
}

inline std::string no_such_element(std::string_view path, std::size_t size, std::string_view key) {
  return str(path, " is a list of ", size, " and has no element '", key, "'");
}

}  // namespace meshwright::config
