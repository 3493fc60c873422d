// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/suggest.h"

#include <algorithm>
#include <memory>
#include <span>

#include "meshwright/config/fields.h"
#include "meshwright/config/path.h"

namespace meshwright::config {
namespace {

using Parts = std::span<const std::string>;

constexpr char kTypeKey[] = "type";

/// A place in a config: what it may contain, and its value if that is known.
struct KeyPlace {
  const Type* type;
  const Node* resolved;
  std::vector<std::string> one_of = {};  // of the field, for texts
};

struct Key {
  std::string name;
  std::string help;
  KeyPlace place;
};

bool is_tagged(const Type& type) {
  return std::ranges::any_of(type.variant.alternatives,
                             [](const Alternative& one) { return !one.tag.empty(); });
}

const Node* step_into(const Node* resolved, const std::string& name) {
  return resolved == nullptr ? nullptr : find_node(*resolved, {name});
}

const std::string* chosen_tag(const Node* resolved) {
  const Node* type = step_into(resolved, kTypeKey);
  return type == nullptr ? nullptr : type->string();
}

void add_fields(const Type& table, const Node* resolved, std::vector<Key>& out) {
  const std::shared_ptr<void> object = table.create();
  const Fields fields = fields_of(table, object.get());
  for (const Field& field : fields.list())
    out.push_back({field.name,
                   field.help,
                   {field.type, step_into(resolved, field.name), field.checks.one_of}});
}

void add_keys_of_alternatives(const KeyPlace& place, std::vector<Key>& out) {
  const std::string* chosen = chosen_tag(place.resolved);
  for (const Alternative& alternative : place.type->variant.alternatives)
    if (!alternative.tag.empty() && (chosen == nullptr || *chosen == alternative.tag))
      add_fields(alternative.type(), place.resolved, out);
}

/// Adds the keys and positions that `resolved` has at this place.
void add_present(const KeyPlace& place, std::vector<Key>& out) {
  if (place.resolved == nullptr) return;
  const Type& element = place.type->element();
  if (const Table* table = place.resolved->table())
    for (const Entry& entry : table->entries())
      out.push_back({entry.key, "", {&element, &entry.node, place.one_of}});
  if (const Array* array = place.resolved->array())
    for (std::size_t i = 0; i < array->size(); ++i)
      out.push_back({std::to_string(i), "", {&element, &(*array)[i], place.one_of}});
}

std::vector<Key> keys_at(const KeyPlace& place) {
  std::vector<Key> out;
  switch (place.type->kind) {
    case Kind::optional:
      return keys_at({&place.type->element(), place.resolved, place.one_of});
    case Kind::list:
      add_present(place, out);
      if (place.type->list.takes_single) {
        const Array* array = place.resolved == nullptr ? nullptr : place.resolved->array();
        const Node* single = array == nullptr ? place.resolved : nullptr;
        for (Key& key : keys_at({&place.type->element(), single, place.one_of}))
          out.push_back(std::move(key));
      }
      return out;
    case Kind::map:
      add_present(place, out);
      return out;
    case Kind::table:
      add_fields(*place.type, place.resolved, out);
      return out;
    case Kind::variant:
      if (is_tagged(*place.type)) out.push_back({kTypeKey, "kind of table", place});
      add_keys_of_alternatives(place, out);
      return out;
    default:
      return out;
  }
}

/// True if a key needs further parts before it has a value. The key `type` of a tagged table
/// shares the table's place and does not.
bool has_keys(const Type& type) {
  switch (type.kind) {
    case Kind::optional:
    case Kind::list:
      return has_keys(type.element());
    case Kind::map:
    case Kind::table:
      return true;
    case Kind::variant:
      return is_tagged(type);
    default:
      return false;
  }
}

/// True if the key itself can have a value, even if it also has keys: a number or a table.
bool takes_value(const Type& type) {
  if (type.kind == Kind::optional || type.kind == Kind::list) return takes_value(type.element());
  return !has_keys(type) ||
         std::ranges::any_of(type.variant.alternatives,
                             [](const Alternative& one) { return one.tag.empty(); });
}

bool ends_path(const Key& key, const KeyPlace& parent) {
  return !has_keys(*key.place.type) || (key.name == kTypeKey && key.place.type == parent.type);
}

/// Returns the places that a path leads to; several if alternatives of a tagged table share a key.
std::vector<KeyPlace> places_at(const KeyPlace& root, Parts parts) {
  std::vector<KeyPlace> places = {root};
  for (const std::string& part : parts) {
    std::vector<KeyPlace> inner;
    for (const KeyPlace& place : places) {
      const Type* type = place.type;
      while (type->kind == Kind::optional)
        type = &type->element();
      const bool is_new_element =
          (type->kind == Kind::map || (type->kind == Kind::list && find_position(part))) &&
          step_into(place.resolved, part) == nullptr;
      if (is_new_element) inner.push_back({&type->element(), nullptr, place.one_of});
      for (Key& key : keys_at(place))
        if (key.name == part) inner.push_back(std::move(key.place));
    }
    places = std::move(inner);
  }
  return places;
}

void add(std::string text, const std::string& help, std::vector<Suggestion>& out) {
  const auto is_same = [&](const Suggestion& known) { return known.text == text; };
  if (std::ranges::none_of(out, is_same)) out.push_back({std::move(text), help});
}

std::vector<Suggestion> complete(const KeyPlace& root,
                                 const std::string& typed,
                                 const char* end_of_key) {
  const std::size_t dot = typed.rfind('.');
  const std::string head = dot == std::string::npos ? "" : typed.substr(0, dot);
  const auto parts = head.empty() ? std::vector<std::string>() : find_path_parts(head);
  std::vector<Suggestion> out;
  if (!parts) return out;
  for (const KeyPlace& place : places_at(root, *parts)) {
    for (const Key& key : keys_at(place)) {
      const std::string path = join_path(head, key.name);
      if (!path.starts_with(typed)) continue;
      const bool is_end = ends_path(key, place);
      if (is_end || takes_value(*key.place.type)) add(path + end_of_key, key.help, out);
      if (!is_end) add(path + ".", key.help, out);
    }
  }
  return out;
}

void add_values(const KeyPlace& place, std::vector<std::string>& out) {
  const Type& type = *place.type;
  out.insert(out.end(), place.one_of.begin(), place.one_of.end());
  switch (type.kind) {
    case Kind::boolean:
      out.insert(out.end(), {"true", "false"});
      return;
    case Kind::choice:
      out.insert(out.end(), type.choice.names.begin(), type.choice.names.end());
      return;
    case Kind::optional:
      add_values({&type.element(), nullptr}, out);
      out.emplace_back(type.optional.absent);
      return;
    case Kind::list:
      if (type.list.takes_single) add_values({&type.element(), nullptr}, out);
      return;
    case Kind::variant:
      for (const Alternative& alternative : type.variant.alternatives)
        if (alternative.tag.empty()) add_values({&alternative.type(), nullptr}, out);
      return;
    default:
      return;
  }
}

std::vector<std::string> tags_of(const Type& type) {
  if (type.kind == Kind::optional || type.kind == Kind::list) return tags_of(type.element());
  std::vector<std::string> out;
  for (const Alternative& alternative : type.variant.alternatives)
    if (!alternative.tag.empty()) out.emplace_back(alternative.tag);
  return out;
}

std::vector<std::string> values_of(const KeyPlace& root, Parts path) {
  std::vector<std::string> out;
  if (path.back() == kTypeKey)
    for (const KeyPlace& place : places_at(root, path.first(path.size() - 1)))
      std::ranges::copy(tags_of(*place.type), std::back_inserter(out));
  if (!out.empty()) return out;
  for (const KeyPlace& place : places_at(root, path))
    add_values(place, out);
  return out;
}

}  // namespace

std::vector<Suggestion> suggest_keys(const Type& type,
                                     const std::string& typed,
                                     const Node* resolved) {
  return complete({&type, resolved}, typed, "");
}

std::vector<Suggestion> suggest_overrides(const Type& type,
                                          const std::string& typed,
                                          const Node* resolved) {
  const KeyPlace root{&type, resolved};
  const std::size_t equals = typed.find('=');
  if (equals == std::string::npos) return complete(root, typed, "=");
  const auto parts = find_path_parts(typed.substr(0, equals));
  std::vector<Suggestion> out;
  if (!parts || parts->empty()) return out;
  for (const std::string& value : values_of(root, *parts)) {
    std::string text = typed.substr(0, equals + 1) + value;
    if (text.starts_with(typed)) add(std::move(text), "", out);
  }
  return out;
}

}  // namespace meshwright::config
