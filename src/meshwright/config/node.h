// SPDX-License-Identifier: Apache-2.0
// TOML in memory. Each value knows where it was written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "meshwright/config/source.h"

namespace meshwright::config {

struct Node;
struct Entry;
using Array = std::vector<Node>;

/// A table that keeps its keys in insertion order.
class Table {
 public:
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// Adds or replaces a value. The returned reference is valid until the next call.
  Node& set(const std::string& key, Node value);
  void erase(std::string_view key);

  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>& entries() { return entries_; }
  std::size_t size() const;
  bool operator==(const Table& other) const;

 private:
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

struct Node {
  std::variant<bool, std::int64_t, double, std::string, Array, Table> value;
  Origin origin = {};
  Origin key_origin = {};  // origin of its key
  /// The raw text after the '=' of an override, for settings that are strings.
  std::optional<std::string> bare = {};
  /// True for a table built from the paths of overrides. Its keys may be list positions.
  bool is_patch = false;

  const Table* table() const { return std::get_if<Table>(&value); }
  const Array* array() const { return std::get_if<Array>(&value); }
  const std::string* string() const { return std::get_if<std::string>(&value); }
  /// Compares values only. NaN equals NaN.
  bool operator==(const Node& other) const;
};

struct Entry {
  std::string key;
  Node node;
};

/// Returns the kind of a value: "a string", "a list".
std::string_view kind_name(const Node& node);

/// Returns the value at a path, or null if there is none.
const Node* find_node(const Node& root, const std::vector<std::string>& parts);

}  // namespace meshwright::config
