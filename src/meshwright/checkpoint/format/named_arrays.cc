// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/named_arrays.h"

#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"

namespace meshwright::checkpoint {

void NamedArrays::claim(const std::string& name) {
  paths_.add(name);
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    const Tree<bool>* parent = places_.find(name.substr(0, slash));
    if (parent == nullptr) break;
    if (parent->is_leaf())
      fail(ErrorCode::data_loss, "'", printable_name(name), "' lies below another array");
  }
  if (places_.find(name) != nullptr)
    fail(ErrorCode::data_loss, "'", printable_name(name), "' has the name of another array");
  places_[name] = true;
}

void NamedArrays::add(const std::string& name, StoredArray array) {
  claim(name);
  arrays_[name] = std::move(array);
}

Tree<StoredArray> NamedArrays::take(const Structure& structure) {
  for (const auto& [path, node] : structure.empty)
    claim(path);
  for (const auto& [path, text] : structure.texts)
    claim(path);
  return std::move(arrays_);
}

}  // namespace meshwright::checkpoint
