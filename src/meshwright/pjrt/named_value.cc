// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/named_value.h"

#include "meshwright/base/str.h"
#include "meshwright/pjrt/c/base.h"

namespace meshwright::pjrt {
namespace {

struct Filler {
  c::NamedValue& out;

  void operator()(const std::string& value) const {
    out.type = c::NamedValueType::string;
    out.string_value = value.data();
    out.value_size = value.size();
  }
  void operator()(std::int64_t value) const {
    out.type = c::NamedValueType::int64;
    out.int64_value = value;
    out.value_size = 1;
  }
  void operator()(const std::vector<std::int64_t>& value) const {
    out.type = c::NamedValueType::int64_list;
    out.int64_array_value = value.data();
    out.value_size = value.size();
  }
  void operator()(float value) const {
    out.type = c::NamedValueType::float32;
    out.float_value = value;
    out.value_size = 1;
  }
  void operator()(bool value) const {
    out.type = c::NamedValueType::boolean;
    out.bool_value = value;
    out.value_size = 1;
  }
};

NamedValue::Value value_of(const c::NamedValue& named) {
  switch (named.type) {
    case c::NamedValueType::string:
      return std::string(named.string_value, named.value_size);
    case c::NamedValueType::int64:
      return named.int64_value;
    case c::NamedValueType::int64_list:
      return std::vector<std::int64_t>(named.int64_array_value,
                                       named.int64_array_value + named.value_size);
    case c::NamedValueType::float32:
      return named.float_value;
    case c::NamedValueType::boolean:
      return named.bool_value;
  }
  return std::string("(a value of unknown type)");
}

}  // namespace

std::string to_string(const NamedValue& named) {
  return str(named.name, "=",
             std::visit([](const auto& value) { return str(value); }, named.value));
}

std::vector<c::NamedValue> to_c(const std::vector<NamedValue>& values) {
  std::vector<c::NamedValue> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i].name = values[i].name.data();
    out[i].name_size = values[i].name.size();
    std::visit(Filler{out[i]}, values[i].value);
  }
  return out;
}

std::vector<NamedValue> from_c(const c::NamedValue* values, std::size_t num_values) {
  std::vector<NamedValue> out;
  out.reserve(num_values);
  for (std::size_t i = 0; i < num_values; ++i)
    out.push_back({std::string(values[i].name, values[i].name_size), value_of(values[i])});
  return out;
}

}  // namespace meshwright::pjrt
