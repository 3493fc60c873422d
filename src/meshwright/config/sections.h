// SPDX-License-Identifier: Apache-2.0
// Reference tables of a config's keys, printed in docs/config.md.
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
  /// The path of the section that describes the value, if an earlier key has a value of the same
  /// type.
  std::string described_at = {};
};

/// A struct, or one alternative of a tagged table.
struct Section {
  const Type* type;
  std::string path;  // "optimizer.learning_rate"; 0 stands for list elements, NAME for map values
  std::string tag;   // "polynomial"; empty unless the table is tagged
  std::string id;    // "optimizer[adamw].learning_rate[polynomial]", unique
  std::vector<SectionKey> keys = {};
};

/// Returns the sections of everything that a struct may contain, breadth first, with each type only
/// once.
std::vector<Section> sections(const Type& type);

}  // namespace meshwright::config
