// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/config/load_tree.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/config/path.h"
#include "meshwright/config/problems.h"

namespace meshwright::config {
namespace {

/// Returns the end of the key: the position of the first '=' outside of quotes.
std::size_t find_equals(std::string_view word) {
  char quote = '\0';
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (quote == '\0' && word[at] == '=') return at;
    if (quote == '\0' && (word[at] == '"' || word[at] == '\'')) {
      quote = word[at];
    } else if (word[at] == quote) {
      quote = '\0';
    }
  }
  return std::string_view::npos;
}

Node value_of(const std::string& text) {
  Node node = find_toml_value(text).value_or(Node{text});
  node.bare = text;
  return node;
}

void set_origins(Node& node, const Origin& origin) {
  node.origin = origin;
  node.key_origin = origin;
  if (auto* array = std::get_if<Array>(&node.value))
    for (Node& element : *array)
      set_origins(element, origin);
  if (auto* table = std::get_if<Table>(&node.value))
    for (Entry& entry : table->entries())
      set_origins(entry.node, origin);
}

void insert(Node& root, const std::vector<std::string>& parts, Node value, const Origin& origin) {
  Node* at = &root;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    Table& table = std::get<Table>(at->value);
    Node* next = table.find(parts[i]);
    const bool is_table = next != nullptr && next->table() != nullptr;
    at = is_table ? next : &table.set(parts[i], {Table(), origin, origin, std::nullopt, true});
  }
  std::get<Table>(at->value).set(parts.back(), std::move(value));
}

Node empty_patch() {
  Node root = {Table()};
  root.is_patch = true;
  return root;
}

void add_word(Node& root, const std::string& word, const Origin& origin, Problems& problems) {
  const std::size_t equals = find_equals(word);
  if (equals == std::string::npos) return problems.add(origin, "expected key.path=value");
  const auto parts = find_path_parts(std::string_view(word).substr(0, equals));
  if (!parts) {
    return problems.add(origin, str("'", word.substr(0, equals),
                                    "' is not a valid key: separate its parts by "
                                    "dots, and quote parts with dots or spaces"));
  }
  Node value = value_of(word.substr(equals + 1));
  set_origins(value, origin);
  // Columns within a quoted string of a file cannot be counted.
  if (origin.source && origin.source->is_override) value.origin.column = equals + 2;
  insert(root, *parts, std::move(value), origin);
}

}  // namespace

Node parse_overrides(std::span<const std::string> overrides, const std::string& given_in) {
  Node root = empty_patch();
  Problems problems;
  for (const std::string& word : overrides) {
    const auto source = std::make_shared<const Source>(Source{given_in, word, true});
    add_word(root, word, {source, 1, 1}, problems);
  }
  problems.throw_if_any();
  return root;
}

Node parse_overrides(const Array& words) {
  Node root = empty_patch();
  Problems problems;
  for (const Node& word : words)
    if (word.string() != nullptr) add_word(root, *word.string(), word.origin, problems);
  problems.throw_if_any();
  return root;
}

}  // namespace meshwright::config
