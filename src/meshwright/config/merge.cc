// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/merge.h"

#include "meshwright/config/list_patch.h"
#include "meshwright/config/path.h"

namespace meshwright::config {
namespace {

bool is_other_type(const Table& base, const Table& over) {
  const Node* type = over.find("type");
  const Node* base_type = base.find("type");
  return type != nullptr && base_type != nullptr && !(*type == *base_type);
}

class Merger {
 public:
  explicit Merger(Problems& problems) : problems_(problems) {}

  Node merge(Node base, Node over, const std::string& path) {
    auto* base_table = std::get_if<Table>(&base.value);
    auto* over_table = std::get_if<Table>(&over.value);
    auto* array = std::get_if<Array>(&base.value);
    if (over_table != nullptr && over.is_patch && array != nullptr && !replaces_list(*over_table)) {
      patch_list(*array, *over_table, path);
      return base;
    }
    if (base_table == nullptr || over_table == nullptr || is_other_type(*base_table, *over_table))
      return over;
    for (auto& [key, node] : over_table->entries()) {
      Node* there = base_table->find(key);
      if (there == nullptr) {
        base_table->set(key, std::move(node));
      } else {
        *there = merge(std::move(*there), std::move(node), join_path(path, key));
      }
    }
    // Missing keys are reported where the table was last written.
    if (!over.is_patch) base.origin = over.origin;
    return base;
  }

 private:
  void patch_list(Array& array, Table& patch, const std::string& path) {
    for (auto& [key, node] : patch.entries()) {
      const auto position = find_position(key);
      if (!position || *position > array.size()) {
        problems_.add(node.key_origin, no_such_element(path, array.size(), key));
      } else if (*position == array.size()) {
        array.push_back(std::move(node));
      } else {
        array[*position] =
            merge(std::move(array[*position]), std::move(node), join_path(path, key));
      }
    }
  }

  Problems& problems_;
};

}  // namespace

Node merged(Node base, Node over, Problems& problems) {
  return Merger(problems).merge(std::move(base), std::move(over), "");
}

}  // namespace meshwright::config
