// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/difference.h"

#include "meshwright/base/str.h"
#include "meshwright/config/path.h"

namespace meshwright::config {
namespace {

void add(const std::string& path,
         const Node* left,
         const Node* right,
         std::vector<Difference>& out);

void add_of_tables(const std::string& path,
                   const Table& left,
                   const Table& right,
                   std::vector<Difference>& out) {
  for (const Entry& entry : left.entries())
    add(join_path(path, entry.key), &entry.node, right.find(entry.key), out);
  for (const Entry& entry : right.entries())
    if (left.find(entry.key) == nullptr) add(join_path(path, entry.key), nullptr, &entry.node, out);
}

void add(const std::string& path,
         const Node* left,
         const Node* right,
         std::vector<Difference>& out) {
  const bool are_both = left != nullptr && right != nullptr;
  if (are_both && *left == *right) return;
  if (are_both && left->table() != nullptr && right->table() != nullptr)
    return add_of_tables(path, *left->table(), *right->table(), out);
  const Array* left_list = are_both ? left->array() : nullptr;
  const Array* right_list = are_both ? right->array() : nullptr;
  if (left_list == nullptr || right_list == nullptr || left_list->size() != right_list->size()) {
    out.push_back({path, left, right});
    return;
  }
  for (std::size_t i = 0; i < left_list->size(); ++i)
    add(join_path(path, str(i)), &(*left_list)[i], &(*right_list)[i], out);
}

}  // namespace

std::vector<Difference> differences(const Node& left, const Node& right) {
  std::vector<Difference> out;
  add("", &left, &right, out);
  return out;
}

}  // namespace meshwright::config
