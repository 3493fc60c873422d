// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace meshwright::pjrt {

namespace c {
struct NamedValue;
}  // namespace c

/// An option for a plugin, or an attribute of a plugin.
struct NamedValue {
  using Value = std::variant<std::string, std::int64_t, std::vector<std::int64_t>, float, bool>;

  std::string name;
  Value value;
  bool operator==(const NamedValue&) const = default;
};

/// Returns text such as "cpu_device_count=8".
std::string to_string(const NamedValue& named);

/// Returns views into `values`, which must outlive them.
std::vector<c::NamedValue> to_c(const std::vector<NamedValue>& values);
std::vector<NamedValue> from_c(const c::NamedValue* values, std::size_t num_values);

}  // namespace meshwright::pjrt
