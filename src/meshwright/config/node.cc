// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "meshwright/config/path.h"

namespace meshwright::config {

const Node* Table::find(std::string_view key) const {
  const auto place = places_.find(key);
  return place == places_.end() ? nullptr : &entries_[place->second].node;
}

Node* Table::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

Node& Table::set(const std::string& key, Node value) {
  if (Node* found = find(key)) return *found = std::move(value);
  places_.emplace(key, entries_.size());
  entries_.push_back({key, std::move(value)});
  return entries_.back().node;
}

void Table::erase(std::string_view key) {
  const auto found = places_.find(key);
  if (found == places_.end()) return;
  const std::size_t place = found->second;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place));
  places_.erase(found);
  for (auto& [name, other] : places_)
    if (other > place) --other;
}

std::size_t Table::size() const {
  return entries_.size();
}

bool Table::operator==(const Table& other) const {
  if (entries_.size() != other.entries_.size()) return false;
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const Node* there = other.find(entry.key);
    return there != nullptr && entry.node == *there;
  });
}

bool Node::operator==(const Node& other) const {
  const double* mine = std::get_if<double>(&value);
  const double* theirs = std::get_if<double>(&other.value);
  if (mine != nullptr && theirs != nullptr && std::isnan(*mine) && std::isnan(*theirs)) return true;
  return value == other.value;
}

std::string_view kind_name(const Node& node) {
  constexpr std::array<std::string_view, 6> kNames = {"a boolean", "a whole number", "a number",
                                                      "a string",  "a list",         "a table"};
  return kNames.at(node.value.index());
}

const Node* find_node(const Node& root, const std::vector<std::string>& parts) {
  const Node* at = &root;
  for (const std::string& part : parts) {
    const auto position = find_position(part);
    if (const Table* table = at->table()) {
      at = table->find(part);
    } else if (const Array* array = at->array(); array != nullptr && position) {
      at = *position < array->size() ? &(*array)[*position] : nullptr;
    } else {
      at = nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace meshwright::config
