// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/read.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/config/check_value.h"
#include "meshwright/config/fields.h"
#include "meshwright/config/list_patch.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {
namespace {

/// The destination of a value.
struct Place {
  const Type& type;
  void* object;
  std::string path;
  bool has_default = false;     // the object holds the default value
  const Type* outer = nullptr;  // the enclosing optional, for messages
};

class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  void read(const Place& place, const Node& node) {
    switch (place.type.kind) {
      case Kind::boolean:
        return read_boolean(place, node);
      case Kind::integer:
        return read_integer(place, node);
      case Kind::number:
        return read_number(place, node);
      case Kind::text:
        return read_text(place, node);
      case Kind::choice:
        return read_choice(place, node);
      case Kind::optional:
        return read_optional(place, node);
      case Kind::list:
        return read_list(place, node);
      case Kind::map:
        return read_map(place, node);
      case Kind::table:
        return read_table(place, node, /*is_tagged=*/false);
      case Kind::variant:
        return read_variant(place, node);
    }
  }

 private:
  void refuse(const Place& place, const Node& node) {
    const std::string* text = node.string();
    const bool is_number = place.type.kind == Kind::integer || place.type.kind == Kind::number;
    const bool is_quoted_number = text != nullptr && !node.bare && is_number &&
                                  text->find_first_of("0123456789") != std::string::npos;
    refuse(place, node, str(wanted_text(place), is_quoted_number ? "; leave out the quotes" : ""));
  }
  void refuse(const Place& place, const Node& node, const std::string& wanted) {
    problems_.add(node.origin, str(place.path.empty() ? "the config" : place.path, " is ",
                                   described(node), ", but must be ", wanted));
  }
  static std::string wanted_text(const Place& place) {
    return type_text(place.outer != nullptr ? *place.outer : place.type);
  }
  static std::string described(const Node& node) {
    if (node.table() != nullptr || node.array() != nullptr) return std::string(kind_name(node));
    return short_toml_value(node);
  }

  /// Returns a string, or the unquoted text of an override.
  static const std::string* find_text(const Node& node) {
    if (const std::string* text = node.string()) return text;
    return node.bare ? &*node.bare : nullptr;
  }

  void read_boolean(const Place& place, const Node& node) {
    const bool* value = std::get_if<bool>(&node.value);
    if (value == nullptr) return refuse(place, node);
    *static_cast<bool*>(place.object) = *value;
  }

  /// Reads an integer. Accepts 1e6.
  void read_integer(const Place& place, const Node& node) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    const auto* integer = std::get_if<std::int64_t>(&node.value);
    const auto* number = std::get_if<double>(&node.value);
    const bool is_whole =
        number != nullptr && std::trunc(*number) == *number && std::abs(*number) <= kExact;
    if (integer == nullptr && !is_whole) return refuse(place, node);
    const std::int64_t value = integer != nullptr ? *integer : static_cast<std::int64_t>(*number);
    const IntegerOps& ops = place.type.integer;
    if (value < ops.min || value > ops.max)
      return refuse(place, node, str("a whole number from ", ops.min, " to ", ops.max));
    ops.set(place.object, value);
  }

  void read_number(const Place& place, const Node& node) {
    if (const auto* number = std::get_if<double>(&node.value)) {
      place.type.number.set(place.object, *number);
    } else if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
      place.type.number.set(place.object, static_cast<double>(*integer));
    } else {
      refuse(place, node);
    }
  }

  void read_text(const Place& place, const Node& node) {
    const std::string* text = find_text(node);
    if (text == nullptr) return refuse(place, node);
    try {
      place.type.text.set(place.object, *text);
    } catch (const Error& error) {
      problems_.add(node.origin, str(place.path, " is ", short_toml_value(node), ", which is not ",
                                     place.type.text.what, ": ", error.what()));
    }
  }

  void read_choice(const Place& place, const Node& node) {
    const std::vector<std::string>& names = place.type.choice.names;
    const std::string* text = find_text(node);
    if (text == nullptr) return refuse(place, node);
    const auto found = std::find(names.begin(), names.end(), *text);
    if (found != names.end())
      return place.type.choice.set(place.object, static_cast<std::size_t>(found - names.begin()));
    const auto nearest = find_nearest(*text, names);
    refuse(place, node,
           str(wanted_text(place), nearest ? str("; did you mean '", *nearest, "'?") : ""));
  }

  static bool stands_for_none(const OptionalOps& optional, const Node& node) {
    const std::string* text = find_text(node);
    const auto* number = std::get_if<double>(&node.value);
    return (text != nullptr && *text == optional.absent) ||
           (optional.takes_infinity && number != nullptr &&
            *number == std::numeric_limits<double>::infinity());
  }

  void read_optional(const Place& place, const Node& node) {
    if (stands_for_none(place.type.optional, node)) return place.type.optional.reset(place.object);
    const Type& element = place.type.element();
    void* value = place.type.optional.find(place.object);
    const bool has_default = value != nullptr && place.has_default;
    if (!has_default) value = place.type.optional.emplace(place.object);
    read({element, value, place.path, has_default, &place.type}, node);
  }

  void read_list(const Place& place, const Node& node) {
    const ListOps& list = place.type.list;
    const Table* patch = node.is_patch ? node.table() : nullptr;
    if (patch != nullptr && !(list.takes_single && replaces_list(*patch)))
      return patch_list(place, *patch);
    if (const Array* array = node.array()) {
      list.clear(place.object);
      for (std::size_t i = 0; i < array->size(); ++i)
        read({place.type.element(), list.append(place.object), join_path(place.path, str(i))},
             (*array)[i]);
    } else if (list.takes_single) {
      list.clear(place.object);
      read({place.type.element(), list.append(place.object), place.path}, node);
    } else {
      refuse(place, node);
    }
  }

  /// Applies evals.0.n=5 to a list with default elements.
  void patch_list(const Place& place, const Table& patch) {
    const ListOps& list = place.type.list;
    for (const auto& [key, node] : patch.entries()) {
      const std::size_t size = list.size(place.object);
      const auto position = find_position(key);
      if (!position || *position > size) {
        problems_.add(node.key_origin, no_such_element(place.path, size, key));
        continue;
      }
      const bool is_new = *position == size;
      void* element = is_new ? list.append(place.object) : list.at(place.object, *position);
      read({place.type.element(), element, join_path(place.path, key), !is_new}, node);
    }
  }

  void read_map(const Place& place, const Node& node) {
    const Table* table = node.table();
    if (table == nullptr) return refuse(place, node);
    const Type& element = place.type.element();
    if (!node.is_patch) place.type.map.clear(place.object);
    for (const auto& [key, value] : table->entries()) {
      // Removes an entry of a base file.
      const bool is_out = element.kind == Kind::table || element.kind == Kind::variant;
      if (is_out && value.string() != nullptr && *value.string() == "none") continue;
      void* object = place.type.map.insert(place.object, key);
      read({element, object, join_path(place.path, key), node.is_patch}, value);
    }
  }

  void read_table(const Place& place, const Node& node, bool is_tagged) {
    const Table* table = node.table();
    if (table == nullptr) return refuse(place, node);
    const Fields fields = fields_of(place.type, place.object);
    const std::size_t num_before = problems_.size();
    const std::vector<std::string> taken = refuse_unknown(place, *table, fields, is_tagged);
    for (const Field& field : fields.list())
      read_field(place, *table, node, field, taken);
    if (problems_.size() > num_before) return;
    for (const Relation& relation : fields.relations())
      check_relation(place, node, fields, relation);
  }

  /// Reports unknown keys. Returns the required keys that they probably stand for, which are not
  /// reported as missing.
  std::vector<std::string> refuse_unknown(const Place& place,
                                          const Table& table,
                                          const Fields& fields,
                                          bool is_tagged) {
    std::vector<std::string> meant;
    for (const auto& [key, node] : table.entries()) {
      if (fields.find(key) != nullptr || (is_tagged && key == "type")) continue;
      const std::vector<std::string> names = fields.names();
      if (const auto nearest = find_nearest(key, names)) meant.push_back(*nearest);
      const std::string where = place.path.empty() ? "" : str(" in ", place.path);
      const std::string remedy = did_you_mean(key, names);
      if (remedy.empty() && !place.path.empty()) problems_.suggest_keys_of(place.path);
      problems_.add(node.key_origin.source ? node.key_origin : node.origin,
                    str("unknown key '", key, "'", where, remedy));
    }
    return meant;
  }

  void read_field(const Place& place,
                  const Table& table,
                  const Node& node,
                  const Field& field,
                  const std::vector<std::string>& taken) {
    const std::string path = join_path(place.path, field.name);
    const Place inner = {*field.type, field.value, path, !field.is_required};
    if (const Node* value = table.find(field.name)) {
      const std::size_t num_before = problems_.size();
      read(inner, *value);
      if (problems_.size() == num_before)
        check_value({*field.type, field.value, path, field.checks}, *value, problems_);
    } else if (field.type->kind == Kind::table) {
      // If the table is absent, its required keys are missing.
      read(inner, {Table(), node.origin});
    } else if (field.is_required &&
               std::find(taken.begin(), taken.end(), field.name) == taken.end()) {
      problems_.add(node.origin,
                    str(path, " is missing: ", field.help, " (", type_text(*field.type), ")"));
    }
  }

  void check_relation(const Place& place,
                      const Node& node,
                      const Fields& fields,
                      const Relation& relation) {
    if (relation.holds()) return;
    const Node* value = node.table()->find(relation.field);
    const Field* field = fields.find(relation.field);
    const std::string shown =
        field == nullptr ? "" : str(" is ", value ? short_toml_value(*value) : "unset", ", but");
    problems_.add(value != nullptr ? value->origin : node.origin,
                  str(join_path(place.path, relation.field), shown, " must ", relation.text));
  }

  void read_variant(const Place& place, const Node& node) {
    const VariantOps& variant = place.type.variant;
    const auto at = node.table() != nullptr ? find_tagged(place, node) : find_plain(place, node);
    if (!at) return;
    const bool keep = place.has_default && *at == variant.index(place.object);
    void* held = keep ? variant.held(place.object) : variant.emplace(place.object, *at);
    const Alternative& alternative = variant.alternatives[*at];
    const Place inner = {alternative.type(), held, place.path, keep};
    alternative.tag.empty() ? read(inner, node) : read_table(inner, node, /*is_tagged=*/true);
  }

  std::optional<std::size_t> find_tagged(const Place& place, const Node& node) {
    const VariantOps& variant = place.type.variant;
    std::vector<std::string> tags;
    std::size_t last = 0;
    const Node* type = node.table()->find("type");
    for (std::size_t i = 0; i < variant.alternatives.size(); ++i) {
      const std::string tag(variant.alternatives[i].tag);
      if (tag.empty()) continue;
      tags.push_back(tag);
      last = i;
      if (type != nullptr && type->string() != nullptr && *type->string() == tag) return i;
    }
    if (type == nullptr) {
      const std::size_t held = variant.index(place.object);
      if (place.has_default && !variant.alternatives[held].tag.empty()) return held;
      if (tags.size() == 1) return last;
      if (tags.empty()) return refuse(place, node), std::nullopt;
      problems_.add(node.origin,
                    str(join_path(place.path, "type"), " is missing, expected one of \"",
                        join(tags, "\", \""), "\""));
      return std::nullopt;
    }
    const std::string* text = find_text(*type);
    const auto nearest = text == nullptr ? std::nullopt : find_nearest(*text, tags);
    problems_.add(type->origin, str(join_path(place.path, "type"), " is ", short_toml_value(*type),
                                    ", but must be \"", join(tags, "\" or \""), "\"",
                                    nearest ? str("; did you mean '", *nearest, "'?") : ""));
    return std::nullopt;
  }

  /// Returns the first alternative that accepts a value other than a table.
  std::optional<std::size_t> find_plain(const Place& place, const Node& node) {
    const auto& alternatives = place.type.variant.alternatives;
    for (std::size_t i = 0; i < alternatives.size(); ++i)
      if (alternatives[i].tag.empty() && may_take(alternatives[i].type(), node)) return i;
    refuse(place, node);
    return std::nullopt;
  }

  static bool may_take(const Type& type, const Node& node) {
    const bool is_integer = std::holds_alternative<std::int64_t>(node.value);
    switch (type.kind) {
      case Kind::boolean:
        return std::holds_alternative<bool>(node.value);
      case Kind::integer:
        return is_integer;
      case Kind::number:
        return is_integer || std::holds_alternative<double>(node.value);
      case Kind::text:
      case Kind::choice:
        return find_text(node) != nullptr;
      case Kind::list:
        return node.array() != nullptr || type.list.takes_single;
      default:
        return false;
    }
  }

  Problems& problems_;
};

}  // namespace

void read_object(const Type& type, const Node& node, void* object, Problems& problems) {
  Reader(problems).read({type, object, ""}, node);
}

void read_object(const Type& type, const Node& node, void* object) {
  Problems problems;
  read_object(type, node, object, problems);
  problems.throw_if_any();
}

}  // namespace meshwright::config
