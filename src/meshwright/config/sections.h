// SPDX-License-Identifier: Apache-2.0
// The reference of a config's keys as tables: docs/config.md prints them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/find_fields.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

struct SectionKey {
  std::string id;  // unique: "optimizer[adamw].learning_rate"
  FoundField found;
  /// The path of the section that describes the value, if another key with a value of this type
  /// comes first.
  std::string described_at = {};
};

/// A struct, or one alternative of a tagged table.
struct Section {
  const Type* type;
  std::string path;  // "optimizer.learning_rate"; elements of lists are 0, values of maps NAME
  std::string tag;   // "polynomial"; empty unless the table is tagged
  std::string id;    // "optimizer[adamw].learning_rate[polynomial]", unique
  std::vector<SectionKey> keys = {};
};

/// Returns the sections of everything that a struct may contain, breadth first and each type once.
std::vector<Section> sections(const Type& type);

}  // namespace meshwright::config
