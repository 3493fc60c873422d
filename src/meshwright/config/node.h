// SPDX-License-Identifier: Apache-2.0
// TOML in memory, each value with the place where it was written.
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

/// Keys in the order in which they were set.
class Table {
 public:
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  /// Adds or replaces, and returns where it is until the next call.
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
  Origin key_origin = {};  // of the key it belongs to
  /// What stood on the command line after the '=': a string where a string is wanted.
  std::optional<std::string> bare = {};
  /// A table made of the paths of the command line: its keys may be positions in a list.
  bool is_patch = false;

  const Table* table() const { return std::get_if<Table>(&value); }
  const Array* array() const { return std::get_if<Array>(&value); }
  const std::string* string() const { return std::get_if<std::string>(&value); }
  /// Values alone; NaN equals NaN.
  bool operator==(const Node& other) const;
};

struct Entry {
  std::string key;
  Node node;
};

/// "a string", "a list": what kind of value it is.
std::string_view kind_name(const Node& node);

/// The value at a path, or null.
const Node* find_node(const Node& root, const std::vector<std::string>& parts);

}  // namespace meshwright::config
