// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/paths.h"

#include <charconv>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"

namespace meshwright::checkpoint {

void NamedArrays::add(const std::string& name, StoredArray array) {
  paths_.add(name);
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    const Tree<StoredArray>* parent = arrays_.find(name.substr(0, slash));
    if (parent != nullptr && parent->is_leaf())
      fail(ErrorCode::data_loss, "'", printable_name(name), "' lies below another array");
  }
  if (arrays_.find(name) != nullptr)
    fail(ErrorCode::data_loss, "'", printable_name(name), "' has the name of another array");
  arrays_[name] = std::move(array);
}

std::int64_t step_in_name(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == name.npos || name[digits] != '-') return 0;
  std::int64_t out = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + digits + 1, end, out);
  return parsed.ec == std::errc() && parsed.ptr == end ? out : 0;
}

}  // namespace meshwright::checkpoint
