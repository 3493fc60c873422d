// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/write.h"

#include "meshwright/base/error.h"
#include "meshwright/config/fields.h"

namespace meshwright::config {
namespace {

Node write_list(const Type& type, void* object) {
  Array array;
  const std::size_t size = type.list.size(object);
  for (std::size_t i = 0; i < size; ++i)
    array.push_back(write_object(type.element(), type.list.at(object, i)));
  // A list of one is written as a single value if that is allowed.
  if (type.list.takes_single && size == 1 && array[0].array() == nullptr) return array[0];
  return {std::move(array)};
}

Node write_map(const Type& type, void* object) {
  Table table;
  type.map.visit(object, [&](const std::string& key, void* value) {
    table.set(key, write_object(type.element(), value));
  });
  return {std::move(table)};
}

Node write_table(const Type& type, void* object) {
  Table table;
  const Fields fields = fields_of(type, object);
  for (const Field& field : fields.list())
    table.set(field.name, write_object(*field.type, field.value));
  return {std::move(table)};
}

Node write_variant(const Type& type, void* object) {
  const Alternative& alternative = type.variant.alternatives.at(type.variant.index(object));
  Node held = write_object(alternative.type(), type.variant.held(object));
  if (alternative.tag.empty()) return held;
  Table tagged;
  tagged.set("type", {std::string(alternative.tag)});
  for (Entry& entry : std::get<Table>(held.value).entries())
    tagged.set(entry.key, std::move(entry.node));
  return {std::move(tagged)};
}

Node write_choice(const Type& type, const void* object) {
  const std::size_t at = type.choice.get(object);
  if (at >= type.choice.names.size())
    fail(ErrorCode::internal, "config: an enum value has no name; known names: '",
         join(type.choice.names, "', '"), "'");
  return {type.choice.names[at]};
}

}  // namespace

Node write_object(const Type& type, void* object) {
  switch (type.kind) {
    case Kind::boolean:
      return {*static_cast<const bool*>(object)};
    case Kind::integer:
      return {type.integer.get(object)};
    case Kind::number:
      return {type.number.get(object)};
    case Kind::text:
      return {type.text.get(object)};
    case Kind::choice:
      return write_choice(type, object);
    case Kind::optional: {
      void* value = type.optional.find(object);
      return value == nullptr ? Node{std::string(type.optional.absent)}
                              : write_object(type.element(), value);
    }
    case Kind::list:
      return write_list(type, object);
    case Kind::map:
      return write_map(type, object);
    case Kind::table:
      return write_table(type, object);
    case Kind::variant:
      return write_variant(type, object);
  }
  fail(ErrorCode::internal, "config: a type without a kind");
}

}  // namespace meshwright::config
