// SPDX-License-Identifier: Apache-2.0
// Internal to ocdbt/: nodes of the tree of keys.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "meshwright/io/file_region.h"
#include "meshwright/io/ocdbt/manifest.h"

namespace meshwright::io::ocdbt {

/// A value that lies in a file of the database.
struct OutsideValue {
  DataFile file;
  FileRange range;
  bool operator==(const OutsideValue&) const = default;
};
using Value = std::variant<std::string, OutsideValue>;

struct Child {
  std::string prefix;  // of all keys below it
  NodePlace place;
};

struct Node {
  std::map<std::string, Value> values;  // of a leaf, by key
  std::vector<Child> children;          // of any other node
};

/// Parses the node at `place`. `prefix` is that of its keys. Throws data_loss, naming `name`, if it
/// is damaged or decodes to more than `max_bytes`.
Node parse_node(std::string_view bytes,
                const NodePlace& place,
                const std::string& prefix,
                std::uint64_t max_bytes,
                const std::string& name);

/// The bytes of a leaf, whose values outside lie in files with an empty base.
std::string leaf_bytes(const std::map<std::string, Value>& values);

}  // namespace meshwright::io::ocdbt
