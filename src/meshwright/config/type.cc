// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/type.h"

#include <charconv>

#include "meshwright/base/str.h"
#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"

namespace meshwright::config {
namespace {

std::string variant_text(const VariantOps& variant) {
  std::vector<std::string> tags;
  std::vector<std::string> others;
  for (const Alternative& alternative : variant.alternatives) {
    if (alternative.tag.empty()) {
      others.push_back(type_text(alternative.type()));
    } else {
      tags.push_back(str("\"", alternative.tag, "\""));
    }
  }
  if (!tags.empty()) others.push_back(str("a table with type = ", join(tags, " or ")));
  return join(others, ", or ");
}

}  // namespace

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "a whole number";
    case Kind::number:
      return "a number";
    case Kind::text:
      return std::string(type.text.what);
    case Kind::choice:
      return str("\"", join(type.choice.names, "\" or \""), "\"");
    case Kind::optional:
      return str(type_text(type.element()), type.optional.takes_infinity ? ", " : " or ", "\"",
                 type.optional.absent, "\"", type.optional.takes_infinity ? " or inf" : "");
    case Kind::list:
      return type.list.takes_single ? str(type_text(type.element()), " or a list of them")
                                    : str("a list, each element ", type_text(type.element()));
    case Kind::map:
      return str("a table, each value ", type_text(type.element()));
    case Kind::table:
      return "a table";
    case Kind::variant:
      return variant_text(type.variant);
  }
  return "";
}

const Field* Fields::find(std::string_view name) const {
  for (const Field& field : list_)
    if (field.name == name) return &field;
  return nullptr;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> result;
  for (const Field& field : list_)
    result.push_back(field.name);
  return result;
}

Fields fields_of(const Type& type, void* object) {
  Fields fields;
  type.table.fields(object, fields);
  return fields;
}

double detail::widen(float value) {
  const std::string text = str(value);
  double wide = value;
  std::from_chars(text.data(), text.data() + text.size(), wide);
  return wide;
}

}  // namespace meshwright::config
