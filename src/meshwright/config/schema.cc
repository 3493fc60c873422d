// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/schema.h"

#include <deque>
#include <map>

#include "meshwright/base/json.h"
#include "meshwright/base/str.h"
#include "meshwright/config/find_fields.h"

namespace meshwright::config {
namespace {

/// Puts table types into `definitions`, once each, so that they may contain themselves.
class Schema {
 public:
  std::string write(const Type& root) {
    json_.begin_object();
    json_.field("$schema", "http://json-schema.org/draft-07/schema#");
    json_.field("title", "Meshwright config");
    write_table(root, "", /*is_root=*/true);
    json_.key("definitions").begin_object();
    while (!queue_.empty()) {
      const Type& type = *queue_.front();
      queue_.pop_front();
      json_.key(names_.at(&type)).begin_object();
      type.kind == Kind::table ? write_table(type, "", false) : write_variant(type);
      json_.end_object();
    }
    json_.end_object().end_object();
    return json_.str() + "\n";
  }

 private:
  void write_table(const Type& type, std::string_view tag, bool is_root) {
    const std::shared_ptr<void> object = type.create();
    json_.field("type", "object").field("additionalProperties", false);
    if (!tag.empty()) json_.key("required").begin_array().value("type").end_array();
    json_.key("properties").begin_object();
    if (is_root) write_base();
    if (!tag.empty()) json_.key("type").begin_object().field("const", tag).end_object();
    const Fields fields = fields_of(type, object.get());
    for (const Field& field : fields.list())
      write_field(field);
    json_.end_object();
  }

  void write_base() {
    json_.key("base").begin_object().field("type", "string");
    json_.field("description", "File that this one extends.").end_object();
  }

  void write_field(const Field& field) {
    json_.key(field.name).begin_object();
    const std::string unit = field.unit_name.empty() ? "" : str(" (", field.unit_name, ")");
    json_.field("description", field.help + unit);
    // In draft 7, everything beside a $ref is ignored.
    json_.key("allOf").begin_array().begin_object();
    write_type(*field.type, field.checks);
    json_.end_object().end_array().end_object();
  }

  void write_limits(const Check& limits) {
    if (limits.above) json_.field("exclusiveMinimum", *limits.above);
    if (limits.at_least) json_.field("minimum", *limits.at_least);
    if (limits.below) json_.field("exclusiveMaximum", *limits.below);
    if (limits.at_most) json_.field("maximum", *limits.at_most);
  }

  void write_strings(std::string_view name, const std::vector<std::string>& strings) {
    json_.key(name).begin_array();
    for (const std::string& text : strings)
      json_.value(text);
    json_.end_array();
  }

  void write_element(const Type& type, const Checks& checks) {
    Checks inner = {.limits = checks.limits, .one_of = checks.one_of};
    inner.limits.non_empty = false;
    json_.begin_object();
    write_type(type.element(), inner);
    json_.end_object();
  }

  void write_list(const Type& type, const Checks& checks) {
    json_.field("type", "array");
    if (checks.limits.non_empty) json_.field("minItems", 1);
    json_.key("items");
    write_element(type, checks);
  }

  void write_type(const Type& type, const Checks& checks) {
    switch (type.kind) {
      case Kind::boolean:
        json_.field("type", "boolean");
        return;
      case Kind::integer:
        json_.field("type", "integer");
        return write_limits(checks.limits);
      case Kind::number:
        json_.field("type", "number");
        return write_limits(checks.limits);
      case Kind::text:
        json_.field("type", "string");
        if (checks.limits.non_empty) json_.field("minLength", 1);
        if (!checks.one_of.empty()) write_strings("enum", checks.one_of);
        return;
      case Kind::choice:
        return write_strings("enum", type.choice.names);
      case Kind::optional:
        json_.key("anyOf").begin_array();
        write_element(type, checks);
        json_.begin_object().field("const", type.optional.absent).end_object().end_array();
        return;
      case Kind::list:
        if (!type.list.takes_single) return write_list(type, checks);
        json_.key("anyOf").begin_array();
        write_element(type, checks);
        json_.begin_object();
        write_list(type, checks);
        json_.end_object().end_array();
        return;
      case Kind::map:
        json_.field("type", "object").key("additionalProperties");
        return write_element(type, checks);
      case Kind::table:
      case Kind::variant:
        json_.field("$ref", "#/definitions/" + name_of(type));
    }
  }

  void write_variant(const Type& type) {
    json_.key("anyOf").begin_array();
    for (const Alternative& alternative : type.variant.alternatives) {
      json_.begin_object();
      alternative.tag.empty() ? write_type(alternative.type(), {})
                              : write_table(alternative.type(), alternative.tag, false);
      json_.end_object();
    }
    json_.end_array();
  }

  const std::string& name_of(const Type& type) {
    const auto [place, is_new] = names_.emplace(&type, str("t", names_.size()));
    if (is_new) queue_.push_back(&type);
    return place->second;
  }

  JsonWriter json_;
  std::deque<const Type*> queue_;
  std::map<const Type*, std::string> names_;
};

}  // namespace

std::string json_schema(const Type& type) {
  return Schema().write(type);
}

}  // namespace meshwright::config
